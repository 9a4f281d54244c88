import { HOUR_MS } from '@teaching/kit';
import fc from 'fast-check';
import { enrol, type Joining, LIVING, resume, setCapacity, suspend, transfer, withdraw } from '../model/membership.ts';
import { freeSeats } from '../model/membership-queries.ts';
import { at, type Enrolment, type Model, type Who } from '../model/state.ts';
import { isRestored } from './compare-states.ts';
import { lostBookingsOf, namedBookings } from './lost-bookings.ts';
import { apiOf, instant, type RealSchool, expectEqual, STUDENTS, reasonOf } from './history-school.ts';
import { passOneSecond, inBothSystems, stepCommand, n, oneOf, who, wild } from './history-step.ts';

const clazz = fc.nat(2);

/** Now, dated back, or to begin later. */
const since = fc.constantFrom(0, 0, 0, -30, -60, 5, 40);

const enrolOn = (m: Model, real: RealSchool, id: number, { students, since: from, waitlist }: Joining, by: Who) =>
  inBothSystems(
    m,
    (draft) => enrol(draft, id, { students, since: from, waitlist }, by),
    () =>
      apiOf(real, by).post(`/clazz/${at(real.clazzes, id)}/student`, {
        student_ids: students.map((index) => real.students[index]),
        since: instant(from),
        waitlist,
        ...reasonOf(by),
      }),
    201,
  );

export const enrolments = fc
  .record({
    clazz,
    students: fc.uniqueArray(fc.nat(STUDENTS - 1), { minLength: 1, maxLength: 2 }),
    since,
    waitlist: fc.boolean(),
    who,
  })
  .map(({ clazz: id, students, since: hours, waitlist, who: by }) =>
    stepCommand(
      `enrol ${students.join(' ')} in ${id} since ${hours} hours, waitlist ${waitlist}, by ${by.role}`,
      (m, real) => enrolOn(m, real, id, { students, since: m.now + hours * HOUR_MS, waitlist }, by),
    ),
  );

/** Somebody who does not belong to a full class waits for a place. */
export const waitings = fc.record({ n, who }).map(({ n: which, who: by }) =>
  stepCommand(`wait ${which} by ${by.role}`, async (m, real) => {
    const all = m.clazzes.flatMap((_clazz, id) => m.students.map((_student, student) => ({ id, student })));
    const found = oneOf(all, which, false, ({ id, student }) => {
      const { status, enrolments: theirs } = at(m.clazzes, id);
      const isThere = theirs.some((it) => it.student === student && LIVING.includes(it.status));
      return status === 'active' && !isThere && freeSeats(m, id, m.now, [student]) === 0;
    });
    if (found === undefined) return;
    const { id, student } = at(all, found);
    await enrolOn(m, real, id, { students: [student], since: m.now, waitlist: true }, by);
  }),
);

/** Mostly somebody for whom this step can be taken. */
const enrolled = (m: Model, which: number, any: boolean, from: readonly Enrolment['status'][]) => {
  const all = m.clazzes.flatMap(({ enrolments: theirs }, index) => theirs.map((it) => ({ it, clazz: index })));
  const found = oneOf(all, which, any, ({ it, clazz: index }) => {
    return from.includes(it.status) && at(m.clazzes, index).status === 'active';
  });
  if (found === undefined) return undefined;
  const { it, clazz: index } = at(all, found);
  return { student: it.student, clazz: index };
};

const pathOf = (real: RealSchool, it: { student: number; clazz: number }) =>
  `/clazz/${at(real.clazzes, it.clazz)}/student/${at(real.students, it.student)}` as const;

export const suspensions = fc.record({ n, wild, who }).map(({ n: which, wild: any, who: by }) =>
  stepCommand(`suspend ${which} by ${by.role}`, async (m, real) => {
    const it = enrolled(m, which, any, ['active']);
    if (it === undefined) return;
    await inBothSystems(
      m,
      (draft) => suspend(draft, it.clazz, it.student),
      () => apiOf(real, by).post(`${pathOf(real, it)}/suspend`),
    );
  }),
);

export const resumptions = fc.record({ n, wild, who }).map(({ n: which, wild: any, who: by }) =>
  stepCommand(`resume ${which} by ${by.role}`, async (m, real) => {
    const it = enrolled(m, which, any, ['suspended']);
    if (it === undefined) return;
    const done = await inBothSystems(
      m,
      (draft) => resume(draft, it.clazz, it.student),
      () => apiOf(real, by).post(`${pathOf(real, it)}/resume`),
    );
    if (done !== undefined)
      expectEqual(namedBookings(done.body.not_restored), lostBookingsOf(real, done.expected ?? []));
  }),
);

export const departures = fc.record({ n, wild, who }).map(({ n: which, wild: any, who: by }) =>
  stepCommand(`withdraw ${which} by ${by.role}`, async (m, real) => {
    const it = enrolled(m, which, any, ['waiting', 'active', 'suspended']);
    if (it === undefined) return;
    await inBothSystems(
      m,
      (draft) => withdraw(draft, it.clazz, it.student),
      () => apiOf(real, by).post(`${pathOf(real, it)}/withdraw`),
    );
  }),
);

export const transfers = fc
  .record({ n, wild, who, by: fc.integer({ min: 1, max: 2 }) })
  .map(({ n: which, wild: any, who: whom, by }) =>
    stepCommand(`transfer ${which} by ${by} classes by ${whom.role}`, async (m, real) => {
      const it = enrolled(m, which, any, ['active', 'suspended']);
      if (it === undefined) return;
      const to = (it.clazz + by) % m.clazzes.length;
      await inBothSystems(
        m,
        (draft) => transfer(draft, it.clazz, to, it.student),
        () => apiOf(real, whom).post(`${pathOf(real, it)}/transfer`, { to_clazz_id: at(real.clazzes, to) }),
      );
    }),
  );

/** Leaving and coming back at once. */
export const suspendedAndResumed = fc.record({ n }).map(({ n: which }) =>
  stepCommand(`suspend ${which} and resume`, async (m, real) => {
    const it = enrolled(m, which, false, ['active']);
    if (it === undefined) return;
    const path = pathOf(real, it);
    await isRestored(m, real, async () => {
      const away = await inBothSystems(
        m,
        (draft) => suspend(draft, it.clazz, it.student),
        () => real.school.supervisor.post(`${path}/suspend`),
      );
      passOneSecond(m);
      const back = await inBothSystems(
        m,
        (draft) => resume(draft, it.clazz, it.student),
        () => real.school.supervisor.post(`${path}/resume`),
      );
      return away === undefined ? [] : back?.body.not_restored;
    });
  }),
);

export const capacities = fc
  .record({ clazz, capacity: fc.constantFrom(null, 1, 2, 3) })
  .map(({ clazz: id, capacity }) =>
    stepCommand(`class ${id} has ${capacity} places`, (m, real) =>
      inBothSystems(
        m,
        (draft) => setCapacity(draft, id, capacity),
        () => real.school.supervisor.patch(`/clazz/${at(real.clazzes, id)}`, { capacity }),
      ),
    ),
  );
