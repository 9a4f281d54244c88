import { MARKS } from '@teaching/contracts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@teaching/kit';
import fc from 'fast-check';
import { isListed } from '../model/membership-queries.ts';
import { rollCall, type MarkInput } from '../model/roll-call.ts';
import { at, type Leave, type Model, STANDARD, type Who } from '../model/state.ts';
import { lostBookingsOf, namedBookings } from './lost-bookings.ts';
import { apiOf, type RealSchool, expectEqual, settingsOf, STUDENTS, reasonOf } from './history-school.ts';
import { passOneSecond, inBothSystems, stepCommand, n, oneOf, advanceClock, who, wild } from './history-step.ts';

const mark = fc.option(fc.constantFrom<MarkInput[]>('present', 'present', 'absent', ...MARKS), { freq: 4 });

/** Whose mark is withdrawn: seldom anybody's. */
const withdrawal = fc.nat(4 * STUDENTS);

const rollCallOn = async (
  m: Model,
  real: RealSchool,
  lesson: number,
  said: readonly MarkInput[],
  by: Who,
): Promise<void> => {
  const marks = said.flatMap((it, index) =>
    it === null ? [] : [{ student_id: real.students[index], mark: it === 'withdrawn' ? null : it }],
  );
  const done = await inBothSystems(
    m,
    (draft) => rollCall(draft, lesson, said, by),
    () => apiOf(real, by).put(`/clazz/lesson/${at(real.lessons, lesson)}/roll-call`, { marks, ...reasonOf(by) }),
  );
  if (done === undefined) return;
  expectEqual(namedBookings(done.body.not_restored ?? []), lostBookingsOf(real, done.expected ?? []));
};

/** Mostly of a lesson that may be called now, and of who is listed there. */
export const rollCalls = fc
  .record({ n, wild, who, withdrawal, marks: fc.array(mark, { minLength: STUDENTS, maxLength: STUDENTS }) })
  .map(({ n: which, wild: any, who: by, withdrawal: whose, marks: given }) => {
    const marks = given.map((it, student) => (student === whose ? 'withdrawn' : it));
    return stepCommand(
      `roll call ${which} ${marks.join(' ')} by ${by.role}${any ? ' of any' : ''}`,
      async (m, real) => {
        const fits = (it: Model['lessons'][number]): boolean =>
          it.status !== 'cancelled' && it.starts <= m.now + 15 * MINUTE_MS;
        const lesson = oneOf(m.lessons, which, any, fits);
        if (lesson === undefined) return;
        const said = marks.map((it, student) => (any || isListed(m, lesson, student) ? it : null));
        await rollCallOn(m, real, lesson, said, by);
      },
    );
  });

/** Who was on leave was there after all, and then was not: the credit goes with its booking, and both return. */
export const turnings = fc.record({ n, who }).map(({ n: which, who: by }) =>
  stepCommand(`leave ${which} was none, and was one, by ${by.role}`, async (m, real) => {
    const fits = ({ status, credit, lesson }: Leave): boolean =>
      status === 'approved' && credit !== null && at(m.lessons, lesson).starts <= m.now;
    const isBooked = (it: Leave): boolean => fits(it) && it.credit?.lesson != null;
    const index = oneOf(m.leaves, which, false, isBooked) ?? oneOf(m.leaves, which, false, fits);
    if (index === undefined) return;
    const { lesson, student } = at(m.leaves, index);
    for (const other of ['present', 'leave'] as const) {
      const said = m.students.map((_student, it) => (it === student ? other : null));
      await rollCallOn(m, real, lesson, said, by);
      passOneSecond(m);
    }
  }),
);

type Passing = { hours: number } | { before: number };
const passing = fc.oneof<fc.MaybeWeightedArbitrary<Passing>[]>(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 30 }).map((hours) => ({ hours })) },
  { weight: 3, arbitrary: fc.constant({ before: 10 * MINUTE_MS }) },
  { weight: 1, arbitrary: fc.constant({ hours: 8 * 24 }) },
);

/** Some hours, days, or until shortly before the next lesson begins. */
export const passings = passing.map((how) =>
  stepCommand(`time passes ${JSON.stringify(how)}`, async (m) => {
    const next = Math.min(...m.lessons.map((it) => it.starts).filter((starts) => starts > m.now + 15 * MINUTE_MS));
    if ('hours' in how) advanceClock(m, m.now + how.hours * HOUR_MS);
    else if (next < m.now + 30 * DAY_MS) advanceClock(m, next - how.before);
  }),
);

const share = fc.constantFrom(0, 25, 50, 100, 150);

/** Another policy: what is not said is as it is by itself. */
export const policies = fc
  .record(
    {
      limit: fc.constantFrom(0, 200),
      windowDays: fc.constantFrom(0, 1),
      deadlineHours: fc.constantFrom(0, 48),
      late: fc.constant<'refuse'>('refuse'),
      quota: fc.constantFrom(1, 2),
      credits: fc.constant(false),
      creditDays: fc.constantFrom(1, 3),
      extensionDays: fc.constantFrom(1, 2),
      zone: fc.constantFrom<Model['rules']['zone'][]>('Asia/Kolkata', 'Pacific/Honolulu'),
      order: fc.constant<Model['rules']['order']>(['paid', 'gift']),
      shares: fc
        .record({ absent: share, late: share, leave_in_time: share, leave_late: share, cancelled_by_org: share })
        .map((some) => ({ ...STANDARD.shares, ...some })),
    },
    { requiredKeys: [] },
  )
  .map((some) =>
    stepCommand(`policy ${JSON.stringify(some)}`, async (m, real) => {
      m.rules = { ...structuredClone(STANDARD), ...structuredClone(some) };
      const { hours } = await real.school.setPolicy(settingsOf(m.rules));
      expectEqual(hours.draw_order, m.rules.order);
    }),
  );
