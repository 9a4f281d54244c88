import { HOUR_MS } from '@teaching/kit';
import fc from 'fast-check';
import { cancelClazz, complete, reopen } from '../model/closing.ts';
import { at, type Model } from '../model/state.ts';
import { comesBack } from './compare.ts';
import { lostOf, namedBookings } from './lost-bookings.ts';
import { type Real, same, START } from './played-school.ts';
import { aSecondPasses, both, command, n, oneOf, wild } from './step.ts';

const completeOn = (m: Model, real: Real, clazz: number, force: boolean) =>
  both(
    m,
    (draft) => complete(draft, clazz, force),
    () => real.school.supervisor.post(`/clazz/${at(real.clazzes, clazz)}/complete`, { force, reason: 'a test' }),
  );

export const completions = fc.record({ n, force: fc.boolean() }).map(({ n: which, force }) =>
  command(`complete ${which}${force ? ' by force' : ''}`, (m, real) => {
    return completeOn(m, real, which % m.clazzes.length, force);
  }),
);

/** What is not restored is named. */
const reopenOn = async (m: Model, real: Real, clazz: number) => {
  const done = await both(
    m,
    (draft) => reopen(draft, clazz),
    () => real.school.supervisor.post(`/clazz/${at(real.clazzes, clazz)}/reopen`, { reason: 'a test' }),
  );
  if (done?.expected === undefined) return done;
  const { lessons, students, bookings } = done.expected;
  const rows = done.body.not_restored;
  const named = {
    lessons: rows.flatMap((row) => (row.reason === undefined ? [row.lesson_id] : [])).toSorted(),
    students: rows
      .flatMap((row) => (row.leave_id === undefined && row.student_id !== undefined ? [row.student_id] : []))
      .toSorted(),
    bookings: namedBookings(rows),
  };
  same(named, {
    lessons: lessons.map((index) => at(real.lessons, index)).toSorted(),
    students: students.map((index) => at(real.students, index)).toSorted(),
    bookings: lostOf(real, bookings),
  });
  return done;
};

export const reopenings = fc.record({ n, wild }).map(({ n: which, wild: any }) =>
  command(`reopen ${which}`, async (m, real) => {
    const clazz = oneOf(m.clazzes, which, any, ({ status }) => status === 'completed');
    if (clazz !== undefined) await reopenOn(m, real, clazz);
  }),
);

export const cancellations = fc.constant(
  command('cancel class 2', async (m, real) => {
    if (m.now < START + 60 * HOUR_MS) return;
    await both(
      m,
      (draft) => cancelClazz(draft, 2),
      () => real.school.supervisor.post(`/clazz/${at(real.clazzes, 2)}/cancel`, { reason: 'a test' }),
    );
  }),
);

/** Closing a class, or two, and opening them again the other way round. */
export const completedAndReopened = fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 2 }).map((which) =>
  command(`complete and reopen ${which.join(' ')}`, async (m, real) => {
    const open = which.filter((index) => at(m.clazzes, index).status === 'active');
    await comesBack(m, real, async () => {
      for (const clazz of open) {
        await completeOn(m, real, clazz, true);
        aSecondPasses(m);
      }
      const lost = [];
      for (const clazz of open.toReversed()) {
        const done = await reopenOn(m, real, clazz);
        lost.push(...(done?.body.not_restored ?? []));
      }
      return lost;
    });
  }),
);
