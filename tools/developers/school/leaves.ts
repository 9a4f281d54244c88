import type { Client } from '../../../libs/client/src/index.ts';
import { addDays } from '../../../libs/kit/src/base/time.ts';
import { inParallel } from '../../operators/cli/in-parallel.ts';
import { drawnLeaveOf, draw, pick } from './random-draws.rules.ts';
import type { SchoolLesson } from './lessons.ts';
import { allOf, type SchoolContext, PARALLEL, unlessRefused } from './school-context.ts';
import { ties } from './people.ts';
import { isComing } from './special-students.ts';
import type { Frame } from './timetable.ts';

type Listed = Awaited<ReturnType<Client['listLeaves']>>['data']['items'][number];
/** Leave by lesson and student. */
export type Leaves = Map<string, Listed>;
export const leaveKey = (lesson_id: string, student_id: string): string => `${lesson_id} ${student_id}`;

/** Days ahead for which people request leave, and days back for which they look for make-ups. */
const AHEAD_DAYS = 7;
const BACK_DAYS = 21;

export const REASONS = [
  'Dentist',
  'Fever',
  'Family visit',
  'School trip',
  'Work travel',
  '感冒了',
  'Exam next day',
] as const;

export const listLeaves = async ({ office }: SchoolContext): Promise<Leaves> => {
  const rows = await allOf((cursor) => office.listLeaves({ query: { limit: '100', cursor } }));
  return new Map(rows.map((row) => [leaveKey(row.lesson_id, row.student_id), row]));
};

/** The person who requests leave for a student: a guardian if there is one. */
const asking = ({ as }: SchoolContext, student_id: string) => {
  const tie = ties.find((it) => it.student_id === student_id);
  return tie === undefined
    ? { client: as(student_id), child: {} }
    : { client: as(tie.guardian_id), child: { student_id } };
};

const decide = async (
  making: SchoolContext,
  id: string,
  teacher: string,
  asked: 'approved' | 'rejected',
): Promise<void> => {
  const client = making.as(teacher);
  if (asked === 'approved') await client.approveLeave({ path: { id } });
  else await client.rejectLeave({ path: { id }, body: { reason: 'We have the exam that day, please come' } });
};

/** Students and guardians request leave from lessons of the next days; some of it is decided. */
export const requestLeaves = async (
  making: SchoolContext,
  lessons: readonly SchoolLesson[],
  { today }: Frame,
  leaves: Leaves,
): Promise<void> => {
  const soon = lessons.filter(
    ({ planned, status, starts_at, at }) =>
      planned &&
      status === 'scheduled' &&
      at.day <= addDays(today, AHEAD_DAYS) &&
      Date.parse(starts_at) > making.now.getTime(),
  );
  const wanted = soon.flatMap((lesson) =>
    lesson.clazz.students
      .filter((student_id) => isComing(lesson.clazz.key, student_id))
      .map((student_id) => ({ lesson, student_id, asked: drawnLeaveOf(student_id, lesson.key) }))
      .filter(({ asked }) => asked !== 'no'),
  );
  await inParallel(wanted, PARALLEL, ({ lesson, student_id, asked }) =>
    unlessRefused(`Leave of ${student_id}`, making, async () => {
      const known = leaves.get(leaveKey(lesson.id, student_id));
      const { client, child } = asking(making, student_id);
      const body = { ...child, lesson_id: lesson.id, reason: pick(REASONS, 'reason', student_id, lesson.key) };
      const made = known ?? (await client.requestLeave({ body })).data.items[0];
      making.onStep();
      if (made === undefined || asked === 'pending' || asked === 'no' || made.status !== 'pending') return;
      await decide(making, made.id, lesson.clazz.teacher, asked);
    }),
  );
};

/** Some students book a make-up lesson; others have not yet. */
export const bookMakeUps = async (
  making: SchoolContext,
  lessons: readonly SchoolLesson[],
  { today }: Frame,
): Promise<void> => {
  const byId = new Map(lessons.map((lesson) => [lesson.id, lesson]));
  const open = [...(await listLeaves(making)).values()].filter(({ lesson_id, student_id, make_up }) => {
    const lesson = byId.get(lesson_id);
    if (lesson === undefined || make_up?.status !== 'available') return false;
    return lesson.at.day >= addDays(today, -BACK_DAYS) && draw(3, 'make-up', student_id, lesson.key) === 0;
  });
  // One after the other: two may want the last place.
  for (const { id, student_id } of open)
    await unlessRefused(`Make-up of ${student_id}`, making, async () => {
      const { client, child } = asking(making, student_id);
      const path = { id };
      const { items } = (await client.listMakeUpOptions({ path, query: { ...child, limit: '5' } })).data;
      const chosen = items.find(({ starts_at }) => starts_at > making.now.toISOString());
      if (chosen !== undefined) await client.bookMakeUp({ path, body: { ...child, lesson_id: chosen.id } });
    });
};
