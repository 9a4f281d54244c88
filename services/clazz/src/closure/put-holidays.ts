import { type Closed, holidayCalls } from '@teaching/contracts';
import { twoStepHandler, type Session } from '@teaching/kit';
import { policyInForce } from '../policy/policy.ts';
import { readHolidays, saveHolidays } from '../schedule/holiday-list.ts';
import { spanOfDay } from '../schedule/holiday.rules.ts';
import { closeLessons, findScheduledLessons } from './close-lessons.ts';
import type { ClosureSelection, ClosureSpan } from './closure.rules.ts';

type Holidays = readonly { date: string; name: string }[];

/** The span of each listed day in the org's zone. A day that the zone skipped has no span. */
const spansOf = (holidays: Holidays, zone: string): ClosureSpan[] =>
  holidays.map(({ date, name }) => ({ ...spanOfDay(date, zone), reason: name })).filter(({ from, to }) => from < to);

/** Stores the list first. Lessons scheduled until then are found, and a series created later skips the days. */
const storeAndClose = async (session: Session, holidays: Holidays): Promise<Closed> => {
  const { zone } = await policyInForce({ query: session.peek.bind(session) }, session.org_id);
  const common = { clazz_ids: null, teacher_id: null, room: null, reason_public: false, reason: 'a holiday' };
  const closing: ClosureSelection = { ...common, spans: spansOf(holidays, zone) };
  await findScheduledLessons(session, closing);
  await session.inOwnTransaction((part) => saveHolidays(part, holidays));
  return closeLessons(session, closing, await findScheduledLessons(session, closing));
};

/** Replaces the list of holidays. With `lessons=cancel` it cancels the lessons scheduled on them. */
export const putHolidays = twoStepHandler(holidayCalls.putHolidays, {
  prepare: async ({ body, query }, session) =>
    query.lessons === 'cancel' ? storeAndClose(session, body.holidays) : undefined,
  run: async ({ body }, session, done) => {
    if (done === undefined) await saveHolidays(session, body.holidays);
    return { holidays: await readHolidays(session), ...done };
  },
});
