import { enrolmentCalls, leaveCalls, type Output, rollCallCalls } from '@teaching/contracts';
import { expect } from 'vitest';
import { balanceOf, passTime } from '../model/hours.ts';
import { isGuest, isListed, isMarkMissing, leaveAt } from '../model/membership-queries.ts';
import { elementAt, type Leave, type Model } from '../model/state.ts';
import { toDecimal, toInstant, type RealSchool } from './history-school.ts';

/** The visible state of a school, as the service answers it and as the model expects it. */

const orNull = <T, R>(it: T | null, of: (it: T) => R): R | null => (it === null ? null : of(it));

const accountsOf = (m: Model, { students, courses }: RealSchool) =>
  m.students.map((it, index) => ({
    student_id: students[index],
    balance: toDecimal(balanceOf(it)),
    lots: it.lots.map((lot) => ({
      kind: lot.kind,
      course_id: orNull(lot.course, (course) => elementAt(courses, course)),
      granted: toDecimal(lot.granted),
      remaining: toDecimal(lot.remaining),
      expires_at: orNull(lot.expires, toInstant),
      price_minor: lot.price,
    })),
  }));

const accounts = ({ school, students }: RealSchool) =>
  Promise.all(
    students.map(async (id) => {
      const { student_id, balance, lots } = await school.account(id);
      const facts = lots.map(({ kind, course_id, granted, remaining, expires_at, price_minor }) => {
        return { kind, course_id, granted, remaining, expires_at, price_minor };
      });
      return { student_id, balance, lots: facts };
    }),
  );

const rollCallsOf = (m: Model, { students }: RealSchool) =>
  m.lessons.map(({ status, teacher, hours, starts, seats }, lesson) => ({
    status,
    teacher_id: teacher,
    hours: toDecimal(hours),
    starts_at: toInstant(starts),
    marks: seats.flatMap(({ mark, charged }, student) => {
      if (!isListed(m, lesson, student)) return [];
      const preset = leaveAt(m, lesson, student)?.status === 'approved' ? 'leave' : null;
      const make_up = isGuest(m, lesson, student);
      return [
        { student_id: elementAt(students, student), mark: mark ?? preset, charged_hours: toDecimal(charged), make_up },
      ];
    }),
  }));

const rollCalls = ({ school, lessons }: RealSchool) =>
  Promise.all(
    lessons.map(async (id) => {
      const { lesson, marks } = await school.rollCall(id);
      const { status, teacher_id, hours, starts_at } = lesson;
      const rows = marks.map(({ student_id, mark, charged_hours, make_up }) => {
        return { student_id, mark, charged_hours, make_up };
      });
      return { status, teacher_id, hours, starts_at, marks: rows };
    }),
  );

const creditOf = (m: Model, { lessons }: RealSchool, { credit }: Leave) =>
  orNull(credit, ({ status, expires, lesson }) => ({
    status: status === 'available' && expires <= m.now ? 'expired' : status,
    expires_at: toInstant(expires),
    lesson_id: orNull(lesson, (index) => elementAt(lessons, index)),
  }));

const leavesOf = (m: Model, real: RealSchool) =>
  m.leaves.map((it, index) => ({
    id: real.leaves[index],
    status: it.status,
    in_time: it.in_time,
    make_up: creditOf(m, real, it),
  }));

type MakeUp = Output<typeof leaveCalls.getLeave>['make_up'];
const shownCredit = (make_up: MakeUp) =>
  make_up && { status: make_up.status, expires_at: make_up.expires_at, lesson_id: make_up.lesson_id };

const leaves = async (real: RealSchool) => {
  const { supervisor } = real.school;
  const lists = await Promise.all(
    real.clazzes.map((clazz_id) => supervisor.ok(leaveCalls.listLeaves, { query: { clazz_id, limit: '100' } })),
  );
  const found = new Map(lists.flatMap(({ items }) => items.map((it) => [it.id, it])));
  return real.leaves.map((id) => {
    const it = found.get(id);
    return { id, status: it?.status, in_time: it?.in_time, make_up: shownCredit(it?.make_up ?? null) };
  });
};

const enrolmentsOf = (m: Model, { students }: RealSchool) =>
  m.clazzes.map(({ enrolments }) =>
    enrolments.map(({ student, status, since }) => ({
      student_id: students[student],
      status,
      since: toInstant(since),
    })),
  );

const enrolments = ({ school, clazzes }: RealSchool) =>
  Promise.all(
    clazzes.map(async (id) => {
      const { items } = await school.supervisor.ok(enrolmentCalls.listEnrolments, {
        path: { id },
        query: { limit: '100' },
      });
      return items.map(({ student_id, status, since }) => ({ student_id, status, since }));
    }),
  );

const missedOf = (m: Model, { students, lessons }: RealSchool) =>
  m.lessons
    .flatMap((it, lesson) => {
      if (it.ends > m.now || it.status === 'cancelled' || elementAt(m.clazzes, it.clazz).status !== 'active') return [];
      const isScheduled = it.status === 'scheduled';
      const unmarked = students.filter((_id, student) =>
        isScheduled ? isListed(m, lesson, student) : isMarkMissing(m, lesson, student),
      );
      return isScheduled || unmarked.length > 0 ? [{ id: elementAt(lessons, lesson), unmarked }] : [];
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));

const missed = async ({ school, clazzes }: RealSchool) => {
  const lists = await Promise.all(
    clazzes.map((clazz_id) =>
      school.supervisor.ok(rollCallCalls.listMissingRollCalls, { query: { clazz_id, limit: '100' } }),
    ),
  );
  return lists
    .flatMap(({ items }) => items.map(({ id, unmarked }) => ({ id, unmarked })))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
};

/** The state that the service answers. */
export const actualState = async (real: RealSchool) => {
  const [accountRows, rollCallRows, leaveRows, enrolmentRows, missedRows] = await Promise.all([
    accounts(real),
    rollCalls(real),
    leaves(real),
    enrolments(real),
    missed(real),
  ]);
  return {
    accounts: accountRows,
    rollCalls: rollCallRows,
    leaves: leaveRows,
    enrolments: enrolmentRows,
    missed: missedRows,
  };
};

/** The state that the model expects, in the same form. */
export const expectedState = (m: Model, real: RealSchool) => ({
  accounts: accountsOf(m, real),
  rollCalls: rollCallsOf(m, real),
  leaves: leavesOf(m, real),
  enrolments: enrolmentsOf(m, real),
  missed: missedOf(m, real),
});

/** Compares every balance, lot, mark, charge, leave, credit, booking, enrolment and missing mark. */
export const compareStates = async (m: Model, real: RealSchool): Promise<void> => {
  expect(await actualState(real)).toEqual(expectedState(m, real));
};

/**
 * Whether a guest without a mark is booked at a begun or held lesson, or at one that was moved beyond the expiry of the
 * credit. Such a booking cannot be made again.
 */
const hasLateGuest = (m: Model): boolean =>
  m.leaves.some(({ credit, student }) => {
    if (credit === null || credit.lesson === null) return false;
    const { status, starts, seats } = elementAt(m.lessons, credit.lesson);
    const isLate = status === 'held' || starts <= m.now || starts >= credit.expires;
    return isLate && elementAt(seats, student).mark === null;
  });

/**
 * Expects an action and its reversal to leave the state unchanged. `actAndRevert` runs both and returns what was not
 * restored. Nothing is compared if a waiting student was promoted meanwhile, or if a guest of a begun lesson may be lost.
 */
export const expectRestored = async (
  m: Model,
  real: RealSchool,
  actAndRevert: () => Promise<unknown>,
): Promise<void> => {
  const before = structuredClone(m);
  const lost = await actAndRevert();
  passTime(before, m.now);
  if (m.promoted !== before.promoted || hasLateGuest(before)) return;
  expect(lost).toEqual([]);
  await compareStates(before, real);
};
