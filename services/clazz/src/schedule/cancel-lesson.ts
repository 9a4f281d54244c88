import { type Lesson, type lessonCalls, Problem } from '@teaching/contracts';
import type { Handler, Session } from '@teaching/kit';
import { restoreBookings } from '../attendance/restore-bookings.ts';
import { isMarkedByLeave } from '../attendance/roll-call.rules.ts';
import { isMarked } from '../cascade/cascade.rules.ts';
import { runCascade } from '../cascade/run-cascade.ts';
import { lockSeats } from '../cascade/lock-seats.ts';
import { requireOpen } from '../record/access.rules.ts';
import { requireNoClash } from '../record/conflict.rules.ts';
import { shownLesson } from '../record/lesson-rows.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { type LessonRow, toLesson } from '../record/record.tables.ts';
import { requireListedTeacher } from '../record/require-listed-people.ts';
import { requireRoomCapacity } from '../record/check-rooms.ts';
import { findConflicts } from './find-conflicts.ts';
import { cancellation, cancelledLesson, checkOverride, requireCancellable, restoredLesson } from './lesson.rules.ts';
import { clazzIdOf, lockLessons } from './load-lesson.ts';
import { saveLessons } from './save-lessons.ts';

/** Cancels a lesson, or with it the scheduled lessons of its series. */
export const cancelLesson: Handler<typeof lessonCalls.cancelLesson> = async ({ path, query, body }, session) => {
  const clazz = await lockOwnClazz(session, await clazzIdOf(session, path.lesson_id));
  const { it, others } = await lockLessons(session, path.lesson_id, query.scope);
  session.checkVersion(it.version);
  requireOpen(clazz);
  const how = cancellation(session.caller, body);
  requireCancellable(session.caller, it, how.reason);
  const changes = [it, ...others].map((before) => ({ before, after: cancelledLesson(before, how, session.now) }));
  await saveLessons(session, clazz.id, changes, how.reason);
  return shownLesson(session, clazz, changes[0]?.after ?? it);
};

/**
 * Withdraws the marks of approved leave when a held lesson is set back to scheduled (`after`). 409 `invalid_transition`
 * while the lesson has any other mark.
 */
const undoRollCall = async (session: Session, after: Lesson, reason: string): Promise<void> => {
  const { policy, lessons } = await lockSeats(session, [after.id]);
  const marked = lessons.flatMap(({ seats }) => seats.filter(isMarked));
  const otherMarks = marked.filter((seat) => !isMarkedByLeave(seat));
  if (otherMarks.length > 0) {
    throw new Problem('invalid_transition', {
      detail: `${otherMarks.length} mark(s) must be withdrawn first`,
      members: { from: 'held', to: 'scheduled' },
    });
  }
  const instructions = new Map(marked.map(({ student_id }) => [student_id, { mark: null }]));
  const states = lessons.map((state) => ({ ...state, lesson: after }));
  await runCascade(session, { policy, lessons: states, instructions, reason, trigger: 'roll call' });
};

/** Whether the lesson clashes at its time. 409 `schedule_conflict` unless the clash is overridden, now or before. */
const checkClashes = async (session: Session, it: LessonRow, override: boolean): Promise<boolean> => {
  const involved = { teachers: [it.teacher_id], rooms: [it.room], clazz_ids: [it.clazz_id] };
  const [, clashes] = await Promise.all([lockSchedule(session, involved), findConflicts(session, it.clazz_id, [it])]);
  requireNoClash(clashes, override || it.override);
  return clashes.length > 0;
};

/**
 * Sets a cancelled lesson back to scheduled, with everything that cancelling ended, or a held lesson without marks.
 * The answer and the audit log name bookings that cannot be restored. Nothing else fails because of them.
 */
export const restoreLesson: Handler<typeof lessonCalls.restoreLesson> = async ({ path, body }, session) => {
  const clazz = await lockOwnClazz(session, await clazzIdOf(session, path.lesson_id));
  const { it } = await lockLessons(session, path.lesson_id, 'this');
  session.checkVersion(it.version);
  requireOpen(clazz);
  if (it.status === 'scheduled') {
    throw new Problem('invalid_transition', {
      detail: 'The lesson is neither cancelled nor held',
      members: { from: it.status, to: 'scheduled' },
    });
  }
  const { reason } = body;
  const wasCancelled = it.status === 'cancelled';
  if (wasCancelled) await requireListedTeacher(session, it.teacher_id, '/path/lesson_id');
  const override = wasCancelled ? await checkClashes(session, it, checkOverride(session.caller, body)) : it.override;
  const after = { ...restoredLesson(it, session.now), override };
  if (!wasCancelled) await undoRollCall(session, toLesson(after), reason);
  await saveLessons(session, clazz.id, [{ before: it, after }], reason);
  if (wasCancelled) await requireRoomCapacity(session, [after]);
  // A cancelled lesson does not change any more, so `updated_at` is the time of its cancellation.
  const since = { lesson_id: it.id, reason };
  const not_restored = wasCancelled ? await restoreBookings(session, clazz.id, it.updated_at, since) : [];
  return { ...(await shownLesson(session, clazz, after)), not_restored };
};
