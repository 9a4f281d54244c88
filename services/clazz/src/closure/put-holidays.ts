import { type Closed, holidayCalls } from '@teaching/contracts';
import { addDays, instantOf, twoStepHandler, requireDistinct, type Session } from '@teaching/kit';
import { policyInForce } from '../policy/policy.ts';
import { readHolidays, saveHolidays } from '../schedule/holiday-list.ts';
import { closeLessons, findScheduled } from './close-lessons.ts';
import type { ClosureEffects, ClosureSpan } from './closure.rules.ts';

type Holidays = readonly { date: string; name: string }[];

/** Every listed day from its beginning to its end where the org is; a day that its zone left out has no time. */
const spansOf = (holidays: Holidays, zone: string): ClosureSpan[] =>
  holidays
    .map(({ date, name }) => ({
      from: instantOf(date, '00:00', zone),
      to: instantOf(addDays(date, 1), '00:00', zone),
      reason: name,
    }))
    .filter(({ from, to }) => from < to);

/** Stores the list first: whatever is scheduled by then is found, and a series that comes later skips the days. */
const storeAndClose = async (session: Session, holidays: Holidays): Promise<Closed> => {
  const { zone } = await policyInForce({ query: session.peek.bind(session) }, session.org_id);
  const common = { clazz_ids: null, teacher_id: null, room: null, reason_public: false, reason: 'a holiday' };
  const closing: ClosureEffects = { ...common, spans: spansOf(holidays, zone) };
  await findScheduled(session, closing);
  await session.inOwnTransaction((part) => saveHolidays(part, holidays));
  return closeLessons(session, closing, await findScheduled(session, closing));
};

/** Makes the holidays exactly this list, and with `lessons=cancel` cancels what is scheduled on them. */
export const putHolidays = twoStepHandler(holidayCalls.putHolidays, {
  prepare: async ({ body, query }, session) => {
    requireDistinct(
      body.holidays.map((row) => row.date),
      (index) => `/body/holidays/${index}/date`,
    );
    return query.lessons === 'cancel' ? storeAndClose(session, body.holidays) : undefined;
  },
  run: async ({ body }, session, done) => {
    if (done === undefined) await saveHolidays(session, body.holidays);
    return { holidays: await readHolidays(session), ...done };
  },
});
