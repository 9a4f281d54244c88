import { type leaveCalls, Problem, unknownIds } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import type { LeaveState, LessonState } from '../cascade/cascade.rules.ts';
import { MAKE_UP_CREDIT } from '../cascade/cascade.tables.ts';
import { saveLeaves } from '../cascade/save-leaves.ts';
import { scheduleConflict } from '../record/conflict.rules.ts';
import { CONFLICT, withNames } from '../record/conflict.shape.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { hasPlaceAt } from '../record/occupancy.ts';
import { lockLeave } from './lock-leave.ts';
import { mayMakeUp, noCredit, requireBooking, requireCredit, requireHost } from './make-up.rules.ts';
import { writtenLeave } from './read-leaves.ts';

/** Lessons `s` during a lesson `l` that a student is expected at: as a member without leave, or making up. */
export const EXPECTED_ELSEWHERE = (student: string): string => `s.org_id = l.org_id and s.student_id = ${student}
  and s.lesson_id <> l.id and not s.excused
  and s.starts_at < l.ends_at and s.ends_at > l.starts_at and s.starts_at > l.starts_at - interval '24 hours'`;
const CLASHES = statement(
  withNames(`select 0 as n, s.lesson_id, s.clazz_id, s.starts_at, s.ends_at, null as teacher_id, null as room, $3 as student_id,
     s.override
   from lesson l
   join lesson_student s on ${EXPECTED_ELSEWHERE('$3')}
   where l.org_id = $1 and l.id = $2`),
  CONFLICT,
);

/** 409 `schedule_conflict` when the student has to be elsewhere during this lesson; `ending` is a booking that ends. */
export const requireFree = async (
  session: Session,
  lesson_id: string,
  student_id: string,
  ending: string | null = null,
): Promise<void> => {
  await lockSchedule(session, { students: [student_id] });
  const found = await session.query(CLASHES, session.org_id, lesson_id, student_id);
  const clashes = found.filter((row) => row.lesson_id !== ending);
  if (clashes.length > 0) throw scheduleConflict(clashes);
};

const requirePlace = async (session: Session, { lesson, clazz }: LessonState, student_id: string): Promise<void> => {
  if (clazz.capacity === null && lesson.room === null) return;
  if (!(await hasPlaceAt(session, lesson.id, student_id))) {
    throw new Problem('clazz_full', 'The lesson has no free seat');
  }
};

/** Uses the credit of a leave for a lesson; both are locked. The student is then expected there. */
export const bookLesson = async (
  session: Session,
  leave: LeaveState,
  target: LessonState,
  reason: string | null = null,
): Promise<LeaveState> => {
  const credit = requireCredit(leave, target.lesson.starts_at);
  requireHost(target, leave, session.now);
  await requirePlace(session, target, leave.student_id);
  await requireFree(session, target.lesson.id, leave.student_id);
  const lesson_id = target.lesson.id;
  const isBack = credit?.ended_lesson_id === lesson_id;
  const used = {
    ...credit,
    ...(isBack ? { ended_lesson_id: null, ended_at: null } : {}),
    status: 'used' as const,
    lesson_id,
  };
  const after = { ...leave, credit: used, version: leave.version + 1 };
  await saveLeaves(session, [{ before: leave, after }], reason);
  return after;
};

/** Uses the credit of a leave for a lesson; the student is then listed there. */
export const bookMakeUp: Handler<typeof leaveCalls.bookMakeUp> = async ({ path, body }, session) => {
  const { leave, others } = await lockLeave(session, path.id, mayMakeUp(session.reach), noCredit, [body.lesson_id]);
  const [target] = others;
  if (target === undefined) throw unknownIds([{ path: '/body/lesson_id', message: 'does not exist' }]);
  return writtenLeave(session, await bookLesson(session, leave, target));
};

/** Undoes the booking of a lesson that has not begun; the credit can be used again. */
export const undoMakeUp: Handler<typeof leaveCalls.undoMakeUp> = async ({ path }, session) => {
  const booked = (await session.find(MAKE_UP_CREDIT, path.id))?.lesson_id ?? null;
  const more = booked === null ? [] : [booked];
  const { leave, others } = await lockLeave(session, path.id, mayMakeUp(session.reach), noCredit, more);
  requireBooking(leave, others[0], session.now);
  const credit = leave.credit && {
    ...leave.credit,
    status: 'available' as const,
    lesson_id: null,
    ended_lesson_id: null,
    ended_at: null,
  };
  const after = { ...leave, credit, version: leave.version + 1 };
  await saveLeaves(session, [{ before: leave, after }], null);
  return writtenLeave(session, after);
};
