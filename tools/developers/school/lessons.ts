import { addDays } from '../../../libs/kit/src/base/time.ts';
import { inParallel } from '../../operators/cli/in-parallel.ts';
import { changeOf, pick } from './random-draws.rules.ts';
import type { SchoolClazz } from './clazzes.ts';
import { type Local, localOf } from './days.rules.ts';
import { lessonKey } from './hours.rules.ts';
import { allOf, type SchoolContext, PARALLEL, unlessConflict } from './school-context.ts';
import { isOfSlot } from './term.rules.ts';
import type { Frame, MadeClazz } from './timetable.ts';

/** A lesson of the school, as the API has it and as it was planned. */
export interface SchoolLesson {
  id: string;
  clazz: SchoolClazz;
  clazz_id: string;
  at: Local;
  /** The key of random draws. */
  key: string;
  /** Whether the lesson is at its planned time. */
  planned: boolean;
  starts_at: string;
  ends_at: string;
  status: string;
  teacher_id: string;
  topic: string | null;
}

/** Days ahead for which changes are known. */
const AHEAD_DAYS = 12;
/** Topics are written so many days before and after today. */
const TOPIC_DAYS = 2;

const CANCEL_REASONS = ['Teacher is ill', 'Water pipe burst', 'Public event next door'] as const;
const HOMEWORK = [
  'Read the next two pages',
  'Finish the exercises',
  'Practise ten minutes a day',
  '复习今天的内容',
] as const;

/** All lessons of the classes from the beginning of the term to some days ahead. */
export const listLessons = async (
  { office }: SchoolContext,
  made: readonly MadeClazz[],
  { zone, today, term }: Frame,
): Promise<SchoolLesson[]> => {
  const byId = new Map(made.map(({ id, clazz }) => [id, clazz]));
  const query = {
    from: `${term.starts_on}T00:00:00Z`,
    to: `${addDays(today, AHEAD_DAYS + 2)}T00:00:00Z`,
    limit: '100',
  };
  const rows = await allOf((cursor) => office.listLessons({ query: { ...query, cursor } }));
  return rows.flatMap(({ id, clazz_id, starts_at, ends_at, status, teacher_id, topic }) => {
    const clazz = byId.get(clazz_id);
    if (clazz === undefined) return [];
    const at = localOf(zone, starts_at);
    const planned = clazz.slots.some((slot) => isOfSlot(slot, at));
    return [
      {
        id,
        clazz,
        clazz_id,
        at,
        key: lessonKey({ clazz, ...at }),
        planned,
        starts_at,
        ends_at,
        status,
        teacher_id,
        topic,
      },
    ];
  });
};

const later = (instant: string): string => new Date(Date.parse(instant) + 30 * 60_000).toISOString();

const change = async ({ office }: SchoolContext, lesson: SchoolLesson): Promise<void> => {
  const { id, key, starts_at, ends_at, clazz_id, teacher_id } = lesson;
  const path = { lesson_id: id };
  const what = changeOf(key);
  switch (what) {
    case 'cancelled': {
      const body = {
        reason: pick(CANCEL_REASONS, key),
        reason_public: true,
        by: pick(['teacher', 'org'] as const, 'by', key),
      };
      await office.cancelLesson({ path, query: { scope: 'this' }, body });
      return;
    }
    case 'moved': {
      const body = { starts_at: later(starts_at), ends_at: later(ends_at) };
      await office.updateLesson({ path, query: { scope: 'this' }, body });
      return;
    }
    case 'substituted':
      if (teacher_id !== lesson.clazz.teacher) return;
      await office.substituteTeacher({
        body: { teacher_id, from: starts_at, to: ends_at, clazz_ids: [clazz_id] },
      });
      return;
    case 'none':
      return;
  }
};

/** Cancels, moves and hands over some of the lessons that have no roll call yet. Answers whether any was. */
export const changeLessons = async (
  making: SchoolContext,
  lessons: readonly SchoolLesson[],
  { today }: Frame,
): Promise<boolean> => {
  const wanted = lessons.filter(
    ({ planned, status, key, at, teacher_id, clazz }) =>
      planned &&
      status === 'scheduled' &&
      at.day <= addDays(today, AHEAD_DAYS) &&
      changeOf(key) !== 'none' &&
      (changeOf(key) !== 'substituted' || teacher_id === clazz.teacher),
  );
  await inParallel(wanted, PARALLEL, (lesson) => unlessConflict(() => change(making, lesson)));
  return wanted.length > 0;
};

/** The topics of the lessons of these days. */
export const writeTopics = async (
  making: SchoolContext,
  lessons: readonly SchoolLesson[],
  { today }: Frame,
): Promise<void> => {
  const wanted = lessons.filter(
    ({ at, topic, status }) =>
      topic === null &&
      status !== 'cancelled' &&
      at.day >= addDays(today, -TOPIC_DAYS) &&
      at.day <= addDays(today, TOPIC_DAYS),
  );
  await inParallel(wanted, PARALLEL, async ({ id, clazz, key }) => {
    const [first = clazz.course, ...more] = clazz.sections;
    const body = { topic: pick([first, ...more], 'topic', key), homework: pick(HOMEWORK, 'homework', key) };
    await making.as(clazz.teacher).updateLesson({ path: { lesson_id: id }, query: { scope: 'this' }, body });
    making.onStep();
  });
};
