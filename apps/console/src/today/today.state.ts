import { api } from '../shared/api.ts';
import { useAddress } from '../shared/address.ts';
import { now } from '../shared/clock.ts';
import { orgZone } from '../shared/format.ts';
import { useRows } from '../shared/row-query.ts';
import { addDays, dateFrom, localOf, rangeOf } from '../shared/zone.rules.ts';
import { thresholdFrom } from './today.rules.ts';

/** The default threshold of the list “Low on hours”. */
const DEFAULT_LOW_HOURS = 3;
/** The default number of days for expiring hours. */
const DEFAULT_EXPIRY_DAYS = 30;
/** The days, from the chosen one on, whose accepted conflicts are listed. */
export const CLASH_DAYS = 14;
const PAGE_SIZE = '20';
const MAX_PAGE_SIZE = '100';

/** The day and the thresholds that the address chooses. */
export const useDayChoice = () => {
  const { query, put, push } = useAddress();
  const today = localOf(now.value, orgZone()).date;
  const date = dateFrom(query['date'], today);
  return {
    date,
    today,
    isToday: date === today,
    low: thresholdFrom(query['low'], DEFAULT_LOW_HOURS, 100),
    within: thresholdFrom(query['within'], DEFAULT_EXPIRY_DAYS, 365),
    /** The leave that is shown: to decide, or approved. */
    leave: query['leave'] === 'approved' ? ('approved' as const) : ('pending' as const),
    chooseLeave: (shown: 'pending' | 'approved'): void => put({ leave: shown === 'pending' ? null : shown }),
    choose: (to: string): void => push({ date: to === today ? null : to }),
    chooseLow: (hours: number): void => put({ low: hours === DEFAULT_LOW_HOURS ? null : String(hours) }),
    chooseWithin: (days: number): void => put({ within: days === DEFAULT_EXPIRY_DAYS ? null : String(days) }),
  };
};
export type DayChoice = ReturnType<typeof useDayChoice>;

/** All lists of the screen, each requested on its own and all at the same time. */
export const useToday = ({ date, today, low, within }: DayChoice) => {
  const zone = orgZone();
  const { from, to } = rangeOf(date, 1, zone);
  // Open work does not depend on the chosen day.
  const endOfToday = rangeOf(today, 1, zone).to;
  const lessons = useRows(
    `today lessons ${from}`,
    (cursor, signal) => api.listLessons({ query: { from, to, limit: MAX_PAGE_SIZE, cursor } }, { signal }),
    { kinds: ['lesson', 'roll_call', 'enrolment', 'leave', 'clazz', 'member', 'room'] },
    { all: true },
  );
  const rollCalls = useRows(
    `today roll calls ${endOfToday}`,
    (cursor, signal) =>
      api.listLessons(
        { query: { to: endOfToday, roll_call: 'missing,incomplete', sort: '-starts_at', limit: PAGE_SIZE, cursor } },
        { signal },
      ),
    { kinds: ['lesson', 'roll_call', 'enrolment', 'leave', 'clazz', 'member'] },
  );
  const leave = useRows(
    'today leave',
    (cursor, signal) => api.listLeaves({ query: { status: 'pending', limit: MAX_PAGE_SIZE, cursor } }, { signal }),
    { kinds: ['leave', 'lesson', 'clazz', 'member'] },
  );
  const lowOnHours = useRows(
    `today low ${low}`,
    (cursor, signal) =>
      api.listHourAccounts(
        { query: { balance_below: String(low), sort: 'balance', limit: PAGE_SIZE, cursor } },
        { signal },
      ),
    { kinds: ['account', 'enrolment', 'member'] },
  );
  // Based on the day, not on the instant, so that the key does not change during the day.
  const expiring_before = rangeOf(addDays(today, within), 1, zone).to;
  const expiring = useRows(
    `today expiring ${expiring_before}`,
    (cursor, signal) =>
      api.listHourAccounts({ query: { expiring_before, sort: 'next_expiry', limit: PAGE_SIZE, cursor } }, { signal }),
    { kinds: ['account', 'enrolment', 'member'] },
  );
  const coming = rangeOf(date, CLASH_DAYS, zone);
  const clashes = useRows(
    `today clashes ${coming.from}`,
    (cursor, signal) => api.listLessonClashes({ query: { ...coming, limit: PAGE_SIZE, cursor } }, { signal }),
    { kinds: ['lesson', 'clazz', 'member'] },
  );
  return { lessons, rollCalls, leave, lowOnHours, expiring, clashes };
};
export type Today = ReturnType<typeof useToday>;
