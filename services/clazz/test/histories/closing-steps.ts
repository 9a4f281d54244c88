import { HOUR_MS } from '@teaching/kit';
import fc from 'fast-check';
import { ok } from '../../../../tools/test/answers.ts';
import { cancelClazz, complete, reopen } from '../model/closing.ts';
import { at } from '../model/state.ts';
import { compare } from './compare.ts';
import { lostOf, namedBookings } from './member-steps.ts';
import { same, START } from './real.ts';
import { aSecondPasses, both, command, n, oneOf, wild } from './step.ts';

export const completions = fc.record({ n, force: fc.boolean() }).map(({ n: which, force }) =>
  command(`complete ${which}${force ? ' by force' : ''}`, (m, real) => {
    const clazz = which % m.clazzes.length;
    return both(
      m,
      (draft) => complete(draft, clazz, force),
      () => real.school.supervisor.post(`/clazz/${at(real.clazzes, clazz)}/complete`, { force, reason: 'a test' }),
    );
  }),
);

export const reopenings = fc.record({ n, wild }).map(({ n: which, wild: any }) =>
  command(`reopen ${which}`, async (m, real) => {
    const clazz = oneOf(m.clazzes, which, any, ({ status }) => status === 'completed');
    if (clazz === undefined) return;
    const done = await both(
      m,
      (draft) => reopen(draft, clazz),
      () => real.school.supervisor.post(`/clazz/${at(real.clazzes, clazz)}/reopen`, { reason: 'a test' }),
    );
    if (done?.expected === undefined) return;
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

/** Closing a class, or two, and opening them again the other way round changes nothing, whatever there is. */
export const completedAndReopened = fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 2 }).map((which) =>
  command(`complete and reopen ${which.join(' ')}`, async (m, real) => {
    const { supervisor } = real.school;
    const open = which
      .filter((index) => at(m.clazzes, index).status === 'active')
      .map((index) => at(real.clazzes, index));
    for (const id of open) {
      ok(await supervisor.post(`/clazz/${id}/complete`, { force: true, reason: 'a test' }));
      aSecondPasses(m);
    }
    for (const id of open.toReversed()) {
      same(ok(await supervisor.post(`/clazz/${id}/reopen`, { reason: 'a test' })).not_restored, []);
    }
    await compare(m, real);
  }),
);
