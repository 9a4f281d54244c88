import { HOUR_MS } from '@teaching/kit';
import fc from 'fast-check';
import { cancelClazz, complete, reopen } from '../model/completion.ts';
import { elementAt, type Model } from '../model/state.ts';
import { expectRestored } from './compare-states.ts';
import { lostBookingsOf, notRestoredBookings } from './lost-bookings.ts';
import { type RealSchool, expectEqual, START } from './history-school.ts';
import { passOneSecond, inBothSystems, stepCommand, choice, pickIndex, unrestricted } from './history-step.ts';

const completeInBoth = (m: Model, real: RealSchool, clazz: number, force: boolean) =>
  inBothSystems(
    m,
    (draft) => complete(draft, clazz, force),
    () => real.school.supervisor.post(`/clazz/${elementAt(real.clazzes, clazz)}/complete`, { force, reason: 'a test' }),
  );

export const completions = fc.record({ which: choice, force: fc.boolean() }).map(({ which, force }) =>
  stepCommand(`complete ${which}${force ? ' by force' : ''}`, (m, real) => {
    return completeInBoth(m, real, which % m.clazzes.length, force);
  }),
);

/** Reopens a class in model and service, and compares the lessons, students and bookings that were not restored. */
const reopenInBoth = async (m: Model, real: RealSchool, clazz: number) => {
  const done = await inBothSystems(
    m,
    (draft) => reopen(draft, clazz),
    () => real.school.supervisor.post(`/clazz/${elementAt(real.clazzes, clazz)}/reopen`, { reason: 'a test' }),
  );
  if (done?.expected === undefined) return done;
  const { lessons, students, bookings } = done.expected;
  const rows = done.body.not_restored;
  const notRestored = {
    lessons: rows.flatMap((row) => (row.reason === undefined ? [row.lesson_id] : [])).toSorted(),
    students: rows
      .flatMap((row) => (row.leave_id === undefined && row.student_id !== undefined ? [row.student_id] : []))
      .toSorted(),
    bookings: notRestoredBookings(rows),
  };
  expectEqual(notRestored, {
    lessons: lessons.map((index) => elementAt(real.lessons, index)).toSorted(),
    students: students.map((index) => elementAt(real.students, index)).toSorted(),
    bookings: lostBookingsOf(real, bookings),
  });
  return done;
};

export const reopenings = fc.record({ which: choice, isAny: unrestricted }).map(({ which, isAny }) =>
  stepCommand(`reopen ${which}`, async (m, real) => {
    const clazz = pickIndex(m.clazzes, which, isAny, ({ status }) => status === 'completed');
    if (clazz !== undefined) await reopenInBoth(m, real, clazz);
  }),
);

export const clazzCancellations = fc.constant(
  stepCommand('cancel class 2', async (m, real) => {
    if (m.now < START + 60 * HOUR_MS) return;
    await inBothSystems(
      m,
      (draft) => cancelClazz(draft, 2),
      () => real.school.supervisor.post(`/clazz/${elementAt(real.clazzes, 2)}/cancel`, { reason: 'a test' }),
    );
  }),
);

/** Completes one or two classes, then reopens them in reverse order. */
export const completedAndReopened = fc.uniqueArray(fc.nat(3), { minLength: 1, maxLength: 2 }).map((which) =>
  stepCommand(`complete and reopen ${which.join(' ')}`, async (m, real) => {
    const open = which.filter((index) => elementAt(m.clazzes, index).status === 'active');
    await expectRestored(m, real, async () => {
      for (const clazz of open) {
        await completeInBoth(m, real, clazz, true);
        passOneSecond(m);
      }
      const lost = [];
      for (const clazz of open.toReversed()) {
        const done = await reopenInBoth(m, real, clazz);
        lost.push(...(done?.body.not_restored ?? []));
      }
      return lost;
    });
  }),
);
