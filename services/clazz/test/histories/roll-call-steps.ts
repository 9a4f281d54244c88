import { MARKS } from '@teaching/contracts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@teaching/kit';
import fc from 'fast-check';
import { isListed } from '../model/membership-queries.ts';
import { rollCall, type MarkInput } from '../model/roll-call.ts';
import { elementAt, type Leave, type Model, DEFAULT_RULES, type Caller } from '../model/state.ts';
import { lostBookingsOf, notRestoredBookings } from './lost-bookings.ts';
import { apiOf, type RealSchool, expectEqual, settingsOf, STUDENT_COUNT, reasonOf } from './history-school.ts';
import {
  actingAs,
  passOneSecond,
  inBothSystems,
  stepCommand,
  choice,
  pickIndex,
  advanceClock,
  callers,
  unrestricted,
} from './history-step.ts';

const mark = fc.option(fc.constantFrom<MarkInput[]>('present', 'present', 'absent', ...MARKS), { freq: 4 });

/** The index of the student whose mark is withdrawn. Most values belong to no student, so no mark is withdrawn. */
const withdrawal = fc.nat(4 * STUDENT_COUNT);

const rollCallInBoth = async (
  m: Model,
  real: RealSchool,
  lesson: number,
  inputs: readonly MarkInput[],
  caller: Caller,
): Promise<void> => {
  const marks = inputs.flatMap((it, index) =>
    it === null ? [] : [{ student_id: real.students[index], mark: it === 'withdrawn' ? null : it }],
  );
  const done = await inBothSystems(
    m,
    (draft) => rollCall(actingAs(draft, caller), lesson, inputs, caller),
    () =>
      apiOf(real, caller).put(`/clazz/lesson/${elementAt(real.lessons, lesson)}/roll-call`, {
        marks,
        ...reasonOf(caller),
      }),
  );
  if (done === undefined) return;
  expectEqual(notRestoredBookings(done.body.not_restored ?? []), lostBookingsOf(real, done.expected ?? []));
};

/** Takes a roll call, mostly of a lesson whose roll call is open and with marks of listed students. */
export const rollCalls = fc
  .record({
    which: choice,
    isAny: unrestricted,
    caller: callers,
    withdrawal,
    marks: fc.array(mark, { minLength: STUDENT_COUNT, maxLength: STUDENT_COUNT }),
  })
  .map(({ which, isAny, caller, withdrawal: withdrawn, marks: given }) => {
    const marks = given.map((it, student) => (student === withdrawn ? 'withdrawn' : it));
    return stepCommand(
      `roll call ${which} ${marks.join(' ')} by ${caller.role}${isAny ? ' of any' : ''}`,
      async (m, real) => {
        const fits = (it: Model['lessons'][number]): boolean =>
          it.status !== 'cancelled' && it.starts <= m.now + 15 * MINUTE_MS;
        const lesson = pickIndex(m.lessons, which, isAny, fits);
        if (lesson === undefined) return;
        const inputs = marks.map((it, student) => (isAny || isListed(m, lesson, student) ? it : null));
        await rollCallInBoth(m, real, lesson, inputs, caller);
      },
    );
  });

/** Takes the roll call of a lesson with decided leave 10 minutes before it begins, with the marks of other students. */
export const earlyRollCalls = fc.record({ which: choice, caller: callers }).map(({ which, caller }) =>
  stepCommand(`early roll call of the lesson of leave ${which} by ${caller.role}`, async (m, real) => {
    const fits = ({ status, lesson }: Leave): boolean => {
      const it = elementAt(m.lessons, lesson);
      return (status === 'approved' || status === 'rejected') && it.status === 'scheduled' && it.starts > m.now;
    };
    const index = pickIndex(m.leaves, which, false, fits);
    if (index === undefined) return;
    const { lesson, student } = elementAt(m.leaves, index);
    const opens = elementAt(m.lessons, lesson).starts - 10 * MINUTE_MS;
    await stepCommand('time passes', async () => advanceClock(m, Math.max(m.now, opens))).run(m, real);
    const inputs = m.students.map((_student, it) => (it !== student && isListed(m, lesson, it) ? 'present' : null));
    await rollCallInBoth(m, real, lesson, inputs, caller);
  }),
);

/** Marks a student on leave present, then on leave again. Credit and booking end, and both are restored. */
export const markReversals = fc.record({ which: choice, caller: callers }).map(({ which, caller }) =>
  stepCommand(`mark the student of leave ${which} present and on leave again by ${caller.role}`, async (m, real) => {
    const fits = ({ status, credit, lesson }: Leave): boolean =>
      status === 'approved' && credit !== null && elementAt(m.lessons, lesson).starts <= m.now;
    const isBooked = (it: Leave): boolean => fits(it) && it.credit?.lesson != null;
    const index = pickIndex(m.leaves, which, false, isBooked) ?? pickIndex(m.leaves, which, false, fits);
    if (index === undefined) return;
    const { lesson, student } = elementAt(m.leaves, index);
    for (const other of ['present', 'leave'] as const) {
      const inputs = m.students.map((_student, it) => (it === student ? other : null));
      await rollCallInBoth(m, real, lesson, inputs, caller);
      passOneSecond(m);
    }
  }),
);

/** Marks a student, and withdraws the mark up to 10 minutes later, or after them. */
export const unmarkings = fc
  .record({ which: choice, student: fc.nat(STUDENT_COUNT - 1), by: callers, other: callers, isOther: unrestricted })
  .chain((it) => fc.record({ it: fc.constant(it), seconds: fc.constantFrom(0, 597, 598, 599) }))
  .map(({ it: { which, student, by, other, isOther }, seconds }) => {
    const withdrawer = isOther ? other : by;
    let lesson: number | undefined;
    const markAs = (input: MarkInput, caller: Caller) =>
      stepCommand(`${input} by ${caller.role}`, async (m, real) => {
        if (lesson === undefined) return;
        const inputs = m.students.map((_student, index) => (index === student ? input : null));
        await rollCallInBoth(m, real, lesson, inputs, caller);
      });
    const steps = [
      markAs('present', by),
      stepCommand('time passes', async (m) => advanceClock(m, m.now + seconds * 1_000)),
      markAs('withdrawn', withdrawer),
    ];
    return stepCommand(
      `mark student ${student} at ${which} by ${by.role}, withdraw it ${seconds} seconds later by ${withdrawer.role}`,
      async (m, real) => {
        lesson = pickIndex(m.lessons, which, false, (it, index) => {
          return it.status !== 'cancelled' && it.starts <= m.now + 15 * MINUTE_MS && isListed(m, index, student);
        });
        for (const step of steps) await step.run(m, real);
      },
    );
  });

type ClockAdvance = { hours: number } | { before: number };
const clockAdvance = fc.oneof<fc.MaybeWeightedArbitrary<ClockAdvance>[]>(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 30 }).map((hours) => ({ hours })) },
  { weight: 3, arbitrary: fc.constant({ before: 10 * MINUTE_MS }) },
  { weight: 1, arbitrary: fc.constant({ hours: 8 * 24 }) },
);

/** Advances the clock by hours, by days, or to 10 minutes before the next lesson begins. */
export const clockAdvances = clockAdvance.map((how) =>
  stepCommand(`time passes ${JSON.stringify(how)}`, async (m) => {
    const next = Math.min(...m.lessons.map((it) => it.starts).filter((starts) => starts > m.now + 15 * MINUTE_MS));
    if ('hours' in how) advanceClock(m, m.now + how.hours * HOUR_MS);
    else if (next < m.now + 30 * DAY_MS) advanceClock(m, next - how.before);
  }),
);

const share = fc.constantFrom(0, 25, 50, 100, 150);

/** Sets another policy. Omitted rules have their defaults. */
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
        .map((some) => ({ ...DEFAULT_RULES.shares, ...some })),
    },
    { requiredKeys: [] },
  )
  .map((some) =>
    stepCommand(`policy ${JSON.stringify(some)}`, async (m, real) => {
      m.rules = { ...structuredClone(DEFAULT_RULES), ...structuredClone(some) };
      const { hours } = await real.school.setPolicy(settingsOf(m.rules));
      expectEqual(hours.draw_order, m.rules.order);
    }),
  );
