import { api } from '../shared/api.ts';
import { useAddress } from '../shared/address.ts';
import { now } from '../shared/clock.ts';
import { orgZone } from '../shared/format.ts';
import { useRows } from '../shared/row-query.ts';
import { addDays, dateFrom, localOf, rangeOf } from '../shared/zone.rules.ts';
import { thresholdFrom } from './today.rules.ts';

/** Hours of which somebody should have as many. */
const LOW = 3;
/** Days within which hours that expire are worth a call. */
const WITHIN = 30;
const CLASH_DAYS = 14;
const PAGE = '20';
const MOST = '100';

/** What is looked at, as the address says. */
export const useChosen = () => {
  const { query, put, push } = useAddress();
  const today = localOf(now.value, orgZone()).date;
  const date = dateFrom(query['date'], today);
  return {
    date,
    today,
    isToday: date === today,
    low: thresholdFrom(query['low'], LOW, 100),
    within: thresholdFrom(query['within'], WITHIN, 365),
    choose: (to: string): void => push({ date: to === today ? null : to }),
    chooseLow: (hours: number): void => put({ low: hours === LOW ? null : String(hours) }),
    chooseWithin: (days: number): void => put({ within: days === WITHIN ? null : String(days) }),
  };
};
export type Chosen = ReturnType<typeof useChosen>;

/** Everything the screen shows: each is asked by itself, all at once. */
export const useToday = ({ date, today, low, within }: Chosen) => {
  const zone = orgZone();
  const { from, to } = rangeOf(date, 1, zone);
  const lessons = useRows(
    `today lessons ${from}`,
    (cursor, signal) => api.listLessons({ query: { from, to, limit: MOST, cursor } }, { signal }),
    { kinds: ['lesson', 'roll_call', 'enrolment', 'leave', 'clazz', 'member', 'room'] },
    { all: true },
  );
  const rollCalls = useRows(
    `today roll calls ${to}`,
    (cursor, signal) =>
      api.listLessons(
        { query: { to, roll_call: 'missing,incomplete', sort: '-starts_at', limit: PAGE, cursor } },
        { signal },
      ),
    { kinds: ['lesson', 'roll_call', 'enrolment', 'leave', 'clazz', 'member'] },
  );
  const leave = useRows(
    'today leave',
    (cursor, signal) => api.listLeaves({ query: { status: 'pending', limit: MOST, cursor } }, { signal }),
    { kinds: ['leave', 'lesson', 'clazz', 'member'] },
  );
  const lowOnHours = useRows(
    `today low ${low}`,
    (cursor, signal) =>
      api.listHourAccounts({ query: { balance_below: String(low), sort: 'balance', limit: PAGE, cursor } }, { signal }),
    { kinds: ['account', 'enrolment', 'member'] },
  );
  // From the day, not the instant: the question is the same for all of it.
  const expiring_before = rangeOf(addDays(today, within), 1, zone).to;
  const expiring = useRows(
    `today expiring ${expiring_before}`,
    (cursor, signal) =>
      api.listHourAccounts({ query: { expiring_before, sort: 'next_expiry', limit: PAGE, cursor } }, { signal }),
    { kinds: ['account', 'enrolment', 'member'] },
  );
  const coming = rangeOf(date, CLASH_DAYS, zone);
  const clashes = useRows(
    `today clashes ${coming.from}`,
    (cursor, signal) => api.listLessonClashes({ query: { ...coming, limit: PAGE, cursor } }, { signal }),
    { kinds: ['lesson', 'clazz', 'member'] },
  );
  return { lessons, rollCalls, leave, lowOnHours, expiring, clashes };
};
export type Today = ReturnType<typeof useToday>;
