import type { seriesCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { requireOpen } from '../record/access.rules.ts';
import { type LessonRow, toLesson } from '../record/lesson.table.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { scheduleConflict } from '../record/conflict.rules.ts';
import { type LessonEdit, editLessons } from './edit.rules.ts';
import { findConflicts, type Wanted } from './find-conflicts.ts';
import { mayOverride } from './lesson.rules.ts';
import { clazzOf, lockLessons } from './load-lesson.ts';
import { lockSchedule } from './lock-schedule.ts';
import { saveLessons } from './save-lessons.ts';

/** What has to be free for an edited lesson: all of it when moved, else only what is new. */
const wantedBy = ({ before, after, moved }: LessonEdit<LessonRow>): Wanted => ({
  starts_at: after.starts_at,
  ends_at: after.ends_at,
  teacher_id: moved || after.teacher_id !== before.teacher_id ? after.teacher_id : null,
  room: moved || after.room !== before.room ? after.room : null,
});

/** Changes a lesson, or with it what is still scheduled of its series, as one set. */
export const updateLesson: Handler<typeof seriesCalls.update> = async ({ path, query, body }, session) => {
  const clazz = await lockOwnClazz(session, await clazzOf(session, path.lesson_id));
  const { it, others } = await lockLessons(session, path.lesson_id, query.scope);
  session.checkVersion(it.version);
  requireOpen(clazz);
  const override = mayOverride(session.caller, body);
  const edits = editLessons(it, others, body, clazz, session.now);
  const first = edits.find(({ before }) => before.id === it.id)?.after ?? it;
  if (edits.length === 0) return { ...toLesson(first), changed_lessons: 0 };
  const wanted = edits.map(wantedBy);
  await lockSchedule(session, {
    teachers: wanted.flatMap((row) => row.teacher_id ?? []),
    rooms: wanted.map((row) => row.room),
    clazz_ids: [clazz.id],
  });
  const ignoring = edits.map(({ before }) => before.id);
  const students = edits.some(({ moved }) => moved);
  const clashes = await findConflicts(session, clazz.id, wanted, { ignoring, students });
  if (clashes.length > 0 && !override) throw scheduleConflict(clashes);
  const clashing = new Set(clashes.map((row) => row.n - 1));
  const changes = edits.map(({ before, after, moved }, index) => {
    // A moved lesson is an exception only if it clashes where it is now; others stay what they were.
    const isException = clashing.has(index) || (!moved && before.override);
    return { before, after: { ...after, override: isException } };
  });
  await saveLessons(session, clazz.id, changes, body.reason ?? null);
  return { ...toLesson(first), changed_lessons: edits.length };
};
