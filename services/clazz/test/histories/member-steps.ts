import { HOUR_MS } from '@teaching/kit';
import fc from 'fast-check';
import {
  enrol,
  type EnrolmentRequest,
  OPEN_STATUSES,
  resume,
  setCapacity,
  suspend,
  transfer,
  withdraw,
} from '../model/membership.ts';
import { freeSeats } from '../model/membership-queries.ts';
import { elementAt, type Enrolment, type Model, type Caller } from '../model/state.ts';
import { expectRestored } from './compare-states.ts';
import { lostBookingsOf, notRestoredBookings } from './lost-bookings.ts';
import { apiOf, toInstant, type RealSchool, expectEqual, STUDENT_COUNT, reasonOf } from './history-school.ts';
import {
  advanceClock,
  passOneSecond,
  actingAs,
  inBothSystems,
  stepCommand,
  choice,
  pickIndex,
  callers,
  unrestricted,
} from './history-step.ts';

const clazz = fc.nat(3);

/** The start of an enrolment in hours from now: now, backdated, or in the future. */
const since = fc.constantFrom(0, 0, 0, -30, -60, 5, 40);

const enrolInBoth = (
  m: Model,
  real: RealSchool,
  id: number,
  { students, since: from, waitlist }: EnrolmentRequest,
  caller: Caller,
) =>
  inBothSystems(
    m,
    (draft) => enrol(actingAs(draft, caller), id, { students, since: from, waitlist }, caller),
    () =>
      apiOf(real, caller).post(`/clazz/${elementAt(real.clazzes, id)}/student`, {
        student_ids: students.map((index) => real.students[index]),
        since: toInstant(from),
        waitlist,
        ...reasonOf(caller),
      }),
    201,
  );

export const enrolments = fc
  .record({
    clazz,
    students: fc.uniqueArray(fc.nat(STUDENT_COUNT - 1), { minLength: 1, maxLength: 2 }),
    since,
    waitlist: fc.boolean(),
    caller: callers,
  })
  .map(({ clazz: id, students, since: hours, waitlist, caller }) =>
    stepCommand(
      `enrol ${students.join(' ')} in ${id} since ${hours} hours, waitlist ${waitlist}, by ${caller.role}`,
      (m, real) => enrolInBoth(m, real, id, { students, since: m.now + hours * HOUR_MS, waitlist }, caller),
    ),
  );

/** Puts a student who is not in a full class on its waiting list. */
export const waitingListEntries = fc.record({ which: choice, caller: callers }).map(({ which, caller }) =>
  stepCommand(`wait ${which} by ${caller.role}`, async (m, real) => {
    const all = m.clazzes.flatMap((_clazz, id) => m.students.map((_student, student) => ({ id, student })));
    const found = pickIndex(all, which, false, ({ id, student }) => {
      const { status, enrolments: theirs } = elementAt(m.clazzes, id);
      const isThere = theirs.some((it) => it.student === student && OPEN_STATUSES.includes(it.status));
      return status === 'active' && !isThere && freeSeats(m, id, m.now, [student]) === 0;
    });
    if (found === undefined) return;
    const { id, student } = elementAt(all, found);
    await enrolInBoth(m, real, id, { students: [student], since: m.now, waitlist: true }, caller);
  }),
);

/** Selects an enrolment, mostly one whose status allows the step. */
const pickEnrolment = (m: Model, which: number, isAny: boolean, from: readonly Enrolment['status'][]) => {
  const all = m.clazzes.flatMap(({ enrolments: theirs }, index) => theirs.map((it) => ({ it, clazz: index })));
  const found = pickIndex(all, which, isAny, ({ it, clazz: index }) => {
    return from.includes(it.status) && elementAt(m.clazzes, index).status === 'active';
  });
  if (found === undefined) return undefined;
  const { it, clazz: index } = elementAt(all, found);
  return { student: it.student, clazz: index };
};

const pathOf = (real: RealSchool, it: { student: number; clazz: number }) =>
  `/clazz/${elementAt(real.clazzes, it.clazz)}/student/${elementAt(real.students, it.student)}` as const;

export const suspensions = fc
  .record({ which: choice, isAny: unrestricted, caller: callers })
  .map(({ which, isAny, caller }) =>
    stepCommand(`suspend ${which} by ${caller.role}`, async (m, real) => {
      const it = pickEnrolment(m, which, isAny, ['active']);
      if (it === undefined) return;
      await inBothSystems(
        m,
        (draft) => suspend(actingAs(draft, caller), it.clazz, it.student),
        () => apiOf(real, caller).post(`${pathOf(real, it)}/suspend`),
      );
    }),
  );

export const resumptions = fc
  .record({ which: choice, isAny: unrestricted, caller: callers })
  .map(({ which, isAny, caller }) =>
    stepCommand(`resume ${which} by ${caller.role}`, async (m, real) => {
      const it = pickEnrolment(m, which, isAny, ['suspended']);
      if (it === undefined) return;
      const done = await inBothSystems(
        m,
        (draft) => resume(actingAs(draft, caller), it.clazz, it.student),
        () => apiOf(real, caller).post(`${pathOf(real, it)}/resume`),
      );
      if (done !== undefined)
        expectEqual(notRestoredBookings(done.body.not_restored), lostBookingsOf(real, done.expected ?? []));
    }),
  );

export const enrolmentWithdrawals = fc
  .record({ which: choice, isAny: unrestricted, caller: callers })
  .map(({ which, isAny, caller }) =>
    stepCommand(`withdraw ${which} by ${caller.role}`, async (m, real) => {
      const it = pickEnrolment(m, which, isAny, ['waiting', 'active', 'suspended']);
      if (it === undefined) return;
      await inBothSystems(
        m,
        (draft) => withdraw(actingAs(draft, caller), it.clazz, it.student),
        () => apiOf(real, caller).post(`${pathOf(real, it)}/withdraw`),
      );
    }),
  );

export const transfers = fc
  .record({ which: choice, isAny: unrestricted, caller: callers, by: fc.integer({ min: 1, max: 2 }) })
  .map(({ which, isAny, caller, by: distance }) =>
    stepCommand(`transfer ${which} by ${distance} classes by ${caller.role}`, async (m, real) => {
      const it = pickEnrolment(m, which, isAny, ['active', 'suspended']);
      if (it === undefined) return;
      const to = (it.clazz + distance) % m.clazzes.length;
      await inBothSystems(
        m,
        (draft) => transfer(actingAs(draft, caller), it.clazz, to, it.student),
        () => apiOf(real, caller).post(`${pathOf(real, it)}/transfer`, { to_clazz_id: elementAt(real.clazzes, to) }),
      );
    }),
  );

/** Suspends an enrolment and resumes it a second later. */
export const suspendedAndResumed = fc.record({ which: choice }).map(({ which }) =>
  stepCommand(`suspend ${which} and resume`, async (m, real) => {
    const it = pickEnrolment(m, which, false, ['active']);
    if (it === undefined) return;
    const path = pathOf(real, it);
    await expectRestored(m, real, async () => {
      const suspended = await inBothSystems(
        m,
        (draft) => suspend(draft, it.clazz, it.student),
        () => real.school.supervisor.post(`${path}/suspend`),
      );
      passOneSecond(m);
      const resumed = await inBothSystems(
        m,
        (draft) => resume(draft, it.clazz, it.student),
        () => real.school.supervisor.post(`${path}/resume`),
      );
      return suspended === undefined ? [] : resumed?.body.not_restored;
    });
  }),
);

const setCapacityInBoth = (m: Model, real: RealSchool, id: number, capacity: number | null) =>
  inBothSystems(
    m,
    (draft) => setCapacity(draft, id, capacity),
    () => real.school.supervisor.patch(`/clazz/${elementAt(real.clazzes, id)}`, { capacity }),
  );

export const capacities = fc
  .record({ clazz, capacity: fc.constantFrom(null, 1, 2, 3) })
  .map(({ clazz: id, capacity }) =>
    stepCommand(`class ${id} has ${capacity} seats`, (m, real) => setCapacityInBoth(m, real, id, capacity)),
  );

/**
 * Adds a seat to a class with waiting students, enrols another student after its next lesson, and lets that lesson
 * begin. A waiting student who has a clash with the lesson or finds a guest there comes first.
 */
export const seatsOverTime = fc.record({ which: choice, student: choice }).map(({ which, student }) =>
  stepCommand(`class ${which} gets a seat, ${student} asks for it, and a lesson begins`, async (m, real) => {
    const id = pickIndex(m.clazzes, which, false, ({ status, capacity, enrolments: theirs }) => {
      return status === 'active' && capacity !== null && theirs.some((it) => it.status === 'waiting');
    });
    const next = Math.min(...m.lessons.flatMap((it) => (it.clazz === id && it.starts > m.now ? [it.starts] : [])));
    if (id === undefined || next > m.now + 30 * 24 * HOUR_MS) return;
    await setCapacityInBoth(m, real, id, (elementAt(m.clazzes, id).capacity ?? 0) + 1);
    const request = { students: [student % STUDENT_COUNT], since: next + 1_000, waitlist: true };
    await enrolInBoth(m, real, id, request, { role: 'supervisor', reason: true });
    advanceClock(m, next + 2_000);
  }),
);
