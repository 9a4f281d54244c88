import type { lessonCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { requireOpen } from '../record/access.rules.ts';
import { requireListedTeacher } from '../record/require-listed.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { shownLesson } from '../record/shown-lessons.ts';
import { requireNoClash } from '../record/conflict.rules.ts';
import { requireLargeRooms, requireListed } from '../room/check-rooms.ts';
import { findConflicts } from './find-conflicts.ts';
import { checkTimes, mayOverride } from './lesson.rules.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { newLesson } from './new-lesson.ts';
import { saveLessons } from './save-lessons.ts';

export const createLesson: Handler<typeof lessonCalls.createLesson> = async ({ path, body }, session) => {
  checkTimes(body);
  const it = await lockOwnClazz(session, path.id);
  requireOpen(it);
  const override = mayOverride(session.caller, body);
  const lesson = newLesson(session, it, body);
  await requireListed(session, lesson.room);
  const involved = { teachers: [lesson.teacher_id], rooms: [lesson.room], clazz_ids: [it.id] };
  const [, , clashes] = await Promise.all([
    requireListedTeacher(session, lesson.teacher_id, '/body/teacher_id'),
    lockSchedule(session, involved),
    findConflicts(session, it.id, [lesson]),
  ]);
  requireNoClash(clashes, override);
  const after = { ...lesson, override: clashes.length > 0 };
  await saveLessons(session, it.id, [{ before: null, after }], body.reason ?? null);
  await requireLargeRooms(session, [after]);
  return shownLesson(session, it, after);
};
