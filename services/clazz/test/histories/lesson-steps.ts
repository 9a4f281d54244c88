import { HOUR_MS } from '@teaching/kit';
import fc from 'fast-check';
import {
  addLesson,
  cancelLesson,
  changeHours,
  closeLessons,
  isRemovable,
  moveLesson,
  removeLesson,
  restoreLesson,
  substitute,
} from '../model/lesson-changes.ts';
import { elementAt, type Model } from '../model/state.ts';
import { postLesson } from '../enrol-helpers.ts';
import { lostBookingsOf, notRestoredBookings } from './lost-bookings.ts';
import { apiOf, toDecimal, toInstant, expectEqual, freeTeacher, type RealSchool, reasonOf } from './history-school.ts';
import { expectRestored } from './compare-states.ts';
import {
  actingAs,
  inBothSystems,
  passOneSecond,
  stepCommand,
  choice,
  pickIndex,
  callers,
  unrestricted,
} from './history-step.ts';

/** The most lessons of a history. More lessons make each comparison slow. */
const MAX_LESSONS = 16;
const hours = fc.integer({ min: -30, max: 80 });
const sold = fc.constantFrom(50, 75, 100, 133, 250);

const lessonFields = fc.record({ clazz: fc.nat(3), hours, sold });

interface LessonFields {
  clazz: number;
  hours: number;
  sold: number;
}

/** Schedules a lesson. False if it is refused. */
const addInBoth = async (m: Model, real: RealSchool, { clazz, hours: ahead, sold: worth }: LessonFields) => {
  const starts = m.now + ahead * HOUR_MS;
  const teacher = freeTeacher();
  const done = await inBothSystems(
    m,
    (draft) => addLesson(draft, { clazz, teacher, starts, ends: starts + HOUR_MS, hours: worth }),
    () =>
      postLesson(real.school.supervisor, elementAt(real.clazzes, clazz), toInstant(starts), {
        hours: toDecimal(worth),
        teacher_id: teacher,
      }),
    201,
  );
  if (done !== undefined) real.lessons.push(done.body.id);
  return done !== undefined;
};

const removeInBoth = async (m: Model, real: RealSchool, lesson: number): Promise<void> => {
  const done = await inBothSystems(
    m,
    (draft) => removeLesson(draft, lesson),
    () => real.school.supervisor.delete(`/clazz/lesson/${elementAt(real.lessons, lesson)}`),
    204,
  );
  if (done !== undefined) real.lessons.pop();
};

export const newLessons = lessonFields.map((fields) =>
  stepCommand(`lesson of ${fields.clazz} in ${fields.hours} hours for ${fields.sold}`, async (m, real) => {
    if (m.lessons.length < MAX_LESSONS) await addInBoth(m, real, fields);
  }),
);

/** Schedules a lesson and removes it, which restores the state before. */
export const addedAndRemoved = fc
  .record({ clazz: fc.nat(3), hours: fc.integer({ min: 1, max: 80 }), sold })
  .map((fields) =>
    stepCommand(`lesson of ${fields.clazz} in ${fields.hours} hours is removed again`, async (m, real) => {
      if (m.lessons.length >= MAX_LESSONS) return;
      await expectRestored(m, real, async () => {
        if (!(await addInBoth(m, real, fields))) return [];
        passOneSecond(m);
        await removeInBoth(m, real, m.lessons.length - 1);
        return [];
      });
    }),
  );

/** Removes any lesson. Most are in use or not new. */
export const lessonRemovals = choice.map((which) =>
  stepCommand(`remove lesson ${which}`, async (m, real) => {
    const lesson = which % m.lessons.length;
    const isOther = lesson < m.lessons.length - 1 && isRemovable(m, elementAt(m.lessons, lesson));
    if (!isOther) await removeInBoth(m, real, lesson);
  }),
);

export const lessonCancellations = fc
  .record({ which: choice, by: fc.constantFrom<('org' | 'teacher')[]>('org', 'teacher') })
  .map(({ which, by }) =>
    stepCommand(`cancel lesson ${which} by ${by}`, (m, real) => {
      const lesson = which % m.lessons.length;
      return inBothSystems(
        m,
        (draft) => cancelLesson(draft, lesson, by),
        () =>
          real.school.supervisor.post(`/clazz/lesson/${elementAt(real.lessons, lesson)}/cancel`, {
            reason: 'rain',
            by,
          }),
      );
    }),
  );

export const lessonRestores = fc.record({ which: choice, isAny: unrestricted }).map(({ which, isAny }) =>
  stepCommand(`restore lesson ${which}`, async (m, real) => {
    const lesson = pickIndex(m.lessons, which, isAny, ({ status }) => status === 'cancelled');
    if (lesson === undefined) return;
    const done = await inBothSystems(
      m,
      (draft) => restoreLesson(draft, lesson),
      () =>
        real.school.supervisor.post(`/clazz/lesson/${elementAt(real.lessons, lesson)}/restore`, { reason: 'a test' }),
    );
    if (done !== undefined)
      expectEqual(notRestoredBookings(done.body.not_restored), lostBookingsOf(real, done.expected ?? []));
  }),
);

export const hourChanges = fc
  .record({ which: choice, isAny: unrestricted, caller: callers, sold })
  .map(({ which, isAny, caller, sold: worth }) =>
    stepCommand(`lesson ${which} is worth ${worth} by ${caller.role}`, async (m, real) => {
      const lesson = pickIndex(m.lessons, which, isAny, ({ status }) => status === 'held');
      if (lesson === undefined) return;
      return inBothSystems(
        m,
        (draft) => changeHours(actingAs(draft, caller), lesson, worth, caller),
        () =>
          apiOf(real, caller).patch(`/clazz/lesson/${elementAt(real.lessons, lesson)}`, {
            hours: toDecimal(worth),
            ...reasonOf(caller),
          }),
      );
    }),
  );

export const moves = fc
  .record({
    which: choice,
    isAny: unrestricted,
    hours: fc.oneof(fc.integer({ min: -20, max: 40 }), fc.integer({ min: -200, max: -20 })),
  })
  .map(({ which, isAny, hours: by }) =>
    stepCommand(`lesson ${which} moves by ${by} hours`, async (m, real) => {
      const lesson = pickIndex(
        m.lessons,
        which,
        isAny,
        ({ status, starts }) => status === 'scheduled' && starts > m.now,
      );
      if (lesson === undefined) return;
      const starts = elementAt(m.lessons, lesson).starts + by * HOUR_MS;
      await inBothSystems(
        m,
        (draft) => moveLesson(draft, lesson, starts),
        () =>
          real.school.supervisor.patch(`/clazz/lesson/${elementAt(real.lessons, lesson)}`, {
            starts_at: toInstant(starts),
          }),
      );
    }),
  );

/** Cancels the lessons of a range, in all classes or in one. */
export const closures = fc
  .record({
    from: fc.integer({ min: -30, max: 60 }),
    length: fc.integer({ min: 1, max: 30 }),
    clazz: fc.constantFrom(null, null, 0, 1, 2),
  })
  .map(({ from: ahead, length, clazz }) =>
    stepCommand(`close ${clazz ?? 'all classes'} from ${ahead} hours for ${length} hours`, async (m, real) => {
      const from = m.now + ahead * HOUR_MS;
      const span = { from, to: from + length * HOUR_MS };
      const done = await inBothSystems(
        m,
        (draft) => closeLessons(draft, span, clazz),
        () =>
          real.school.supervisor.post('/clazz/closure', {
            from: toInstant(span.from),
            to: toInstant(span.to),
            reason: 'snow',
            // Other histories are in the same organization.
            clazz_ids: clazz === null ? real.clazzes : [elementAt(real.clazzes, clazz)],
          }),
      );
      if (done !== undefined)
        expectEqual(
          done.body.items.map(({ id }) => id),
          done.expected?.map((index) => elementAt(real.lessons, index)),
        );
    }),
  );

/** Gives a lesson, mostly a scheduled one, to a substitute. */
export const substitutions = fc.record({ which: choice, isAny: unrestricted }).map(({ which, isAny }) =>
  stepCommand(`substitute in lesson ${which}`, async (m, real) => {
    const lesson = pickIndex(m.lessons, which, isAny, ({ status }) => status === 'scheduled');
    if (lesson === undefined) return;
    const { teacher, starts: from, ends: to } = elementAt(m.lessons, lesson);
    const other = freeTeacher();
    const done = await inBothSystems(
      m,
      (draft) => substitute(draft, teacher, { from, to }, other),
      () =>
        real.school.supervisor.post('/clazz/substitution', {
          teacher_id: teacher,
          from: toInstant(from),
          to: toInstant(to),
          with: other,
        }),
    );
    if (done !== undefined)
      expectEqual(
        done.body.items.map(({ id }) => id),
        done.expected?.map((index) => elementAt(real.lessons, index)),
      );
  }),
);
