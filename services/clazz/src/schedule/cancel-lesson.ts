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
import { requireLargeRooms } from '../room/check-rooms.ts';
import { findConflicts } from './find-conflicts.ts';
import { cancellation, cancelledLesson, canOverride, requireCancellable, restoredLesson } from './lesson.rules.ts';
import { clazzOf, lockLessons } from './load-lesson.ts';
import { saveLessons } from './save-lessons.ts';

/** Cancels a lesson, or with it what is still scheduled of its series. */
export const cancelLesson: Handler<typeof lessonCalls.cancelLesson> = async ({ path, query, body }, session) => {
  const clazz = await lockOwnClazz(session, await clazzOf(session, path.lesson_id));
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
 * Lets the marks of approved leave go with the roll call of a lesson that is put back to scheduled (`after`). While
 * any other mark stands, that is 409 `invalid_transition`.
 */
const undoRollCall = async (session: Session, after: Lesson, reason: string): Promise<void> => {
  const { policy, lessons } = await lockSeats(session, [after.id]);
  const marked = lessons.flatMap(({ seats }) => seats.filter(isMarked));
  const standing = marked.filter((seat) => !isMarkedByLeave(seat));
  if (standing.length > 0) {
    throw new Problem('invalid_transition', {
      detail: `${standing.length} mark(s) stand at the lesson; withdraw them first`,
      members: { from: 'held', to: 'scheduled' },
    });
  }
  const instructions = new Map(marked.map(({ student_id }) => [student_id, { mark: null }]));
  const states = lessons.map((state) => ({ ...state, lesson: after }));
  await runCascade(session, { policy, lessons: states, instructions, reason, because: 'roll call' });
};

/** Whether the lesson would clash where it was; 409 `schedule_conflict` unless that is, or always was, an exception. */
const clashesAgain = async (session: Session, it: LessonRow, override: boolean): Promise<boolean> => {
  const involved = { teachers: [it.teacher_id], rooms: [it.room], clazz_ids: [it.clazz_id] };
  const [, clashes] = await Promise.all([lockSchedule(session, involved), findConflicts(session, it.clazz_id, [it])]);
  requireNoClash(clashes, override || it.override);
  return clashes.length > 0;
};

/**
 * Undoes that a lesson was cancelled, with all that cancelling it took, or that it was held without marks.
 * What cannot come back is named and stands in the trail; nothing else fails for it.
 */
export const restoreLesson: Handler<typeof lessonCalls.restoreLesson> = async ({ path, body }, session) => {
  const clazz = await lockOwnClazz(session, await clazzOf(session, path.lesson_id));
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
  const override = wasCancelled ? await clashesAgain(session, it, canOverride(session.caller, body)) : it.override;
  const after = { ...restoredLesson(it, session.now), override };
  if (!wasCancelled) await undoRollCall(session, toLesson(after), reason);
  await saveLessons(session, clazz.id, [{ before: it, after }], reason);
  if (wasCancelled) await requireLargeRooms(session, [after]);
  // A cancelled lesson is not changed any more: its last change is when it was cancelled.
  const since = { lesson_id: it.id, reason };
  const not_restored = wasCancelled ? await restoreBookings(session, clazz.id, it.updated_at, since) : [];
  return { ...(await shownLesson(session, clazz, after)), not_restored };
};
