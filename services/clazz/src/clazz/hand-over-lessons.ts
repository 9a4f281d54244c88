import type { Clazz } from '@teaching/contracts';
import { type Session, touched } from '@teaching/kit';
import { scheduleConflict } from '../record/conflict.rules.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { findConflicts } from '../schedule/find-conflicts.ts';
import { saveLessons } from '../schedule/save-lessons.ts';
import { futureLessons } from './end-clazz.ts';

/**
 * Gives the lessons of a former lead teacher that have not begun to the new one: all of them, or
 * 409 `schedule_conflict` with what keeps the new one from some. Lessons of others in the class stay theirs.
 */
export const handOverLessons = async (session: Session, before: Clazz, after: Clazz): Promise<void> => {
  const teacher_id = after.lead_teacher_id;
  const lessons = (await futureLessons(session, before.id)).filter((row) => row.teacher_id === before.lead_teacher_id);
  if (lessons.length === 0) return;
  const wanted = lessons.map(({ id, starts_at, ends_at }) => ({ id, starts_at, ends_at, teacher_id, room: null }));
  await lockSchedule(session, { teachers: [teacher_id] });
  const ignoring = lessons.map((row) => row.id);
  const clashes = await findConflicts(session, before.id, wanted, { ignoring, students: false });
  if (clashes.length > 0) throw scheduleConflict(clashes);
  const changes = lessons.map((row) => ({ before: row, after: touched({ ...row, teacher_id }, session) }));
  await saveLessons(session, before.id, changes, 'the class has another lead teacher');
};
