import { HOUR_MS } from '@teaching/kit';
import fc from 'fast-check';
import { addLesson, cancelLesson, changeHours, moveLesson, restoreLesson } from '../model/lessons.ts';
import { at } from '../model/state.ts';
import { postLesson } from '../helpers.ts';
import { lostOf, namedBookings } from './lost-bookings.ts';
import { apiOf, decimal, instant, same, teaching, why } from './played-school.ts';
import { both, command, n, oneOf, who, wild } from './step.ts';

/** More would make histories slow. */
const MOST = 14;
const hours = fc.integer({ min: -30, max: 80 });
const sold = fc.constantFrom(50, 75, 100, 133, 250);

export const newLessons = fc.record({ clazz: fc.nat(2), hours, sold }).map(({ clazz, hours: ahead, sold: worth }) =>
  command(`lesson of ${clazz} in ${ahead} hours for ${worth}`, async (m, real) => {
    if (m.lessons.length >= MOST) return;
    const starts = m.now + ahead * HOUR_MS;
    const done = await both(
      m,
      (draft) => addLesson(draft, { clazz, starts, ends: starts + HOUR_MS, hours: worth }),
      () => postLesson(real.school.supervisor, at(real.clazzes, clazz), instant(starts), teaching(decimal(worth))),
      201,
    );
    if (done !== undefined) real.lessons.push(done.body.id);
  }),
);

export const lessonCancels = fc
  .record({ n, by: fc.constantFrom<('org' | 'teacher')[]>('org', 'teacher') })
  .map(({ n: which, by }) =>
    command(`cancel lesson ${which} by ${by}`, (m, real) => {
      const lesson = which % m.lessons.length;
      return both(
        m,
        (draft) => cancelLesson(draft, lesson, by),
        () => real.school.supervisor.post(`/clazz/lesson/${at(real.lessons, lesson)}/cancel`, { reason: 'rain', by }),
      );
    }),
  );

export const lessonRestores = fc.record({ n, wild }).map(({ n: which, wild: any }) =>
  command(`restore lesson ${which}`, async (m, real) => {
    const lesson = oneOf(m.lessons, which, any, ({ status }) => status === 'cancelled');
    if (lesson === undefined) return;
    const done = await both(
      m,
      (draft) => restoreLesson(draft, lesson),
      () => real.school.supervisor.post(`/clazz/lesson/${at(real.lessons, lesson)}/restore`, { reason: 'a test' }),
    );
    if (done !== undefined) same(namedBookings(done.body.not_restored), lostOf(real, done.expected ?? []));
  }),
);

export const lengths = fc.record({ n, wild, who, sold }).map(({ n: which, wild: any, who: by, sold: worth }) =>
  command(`lesson ${which} is worth ${worth} by ${by.role}`, async (m, real) => {
    const lesson = oneOf(m.lessons, which, any, ({ status }) => status === 'held');
    if (lesson === undefined) return;
    return both(
      m,
      (draft) => changeHours(draft, lesson, worth, by),
      () => apiOf(real, by).patch(`/clazz/lesson/${at(real.lessons, lesson)}`, { hours: decimal(worth), ...why(by) }),
    );
  }),
);

export const moves = fc
  .record({ n, wild, hours: fc.integer({ min: -20, max: 40 }) })
  .map(({ n: which, wild: any, hours: by }) =>
    command(`lesson ${which} moves by ${by} hours`, async (m, real) => {
      const lesson = oneOf(m.lessons, which, any, ({ status, starts }) => status === 'scheduled' && starts > m.now);
      if (lesson === undefined) return;
      const starts = at(m.lessons, lesson).starts + by * HOUR_MS;
      await both(
        m,
        (draft) => moveLesson(draft, lesson, starts),
        () => real.school.supervisor.patch(`/clazz/lesson/${at(real.lessons, lesson)}`, { starts_at: instant(starts) }),
      );
    }),
  );
