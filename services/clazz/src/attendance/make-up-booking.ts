import { Problem } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import type { LeaveState, LessonState } from '../cascade/cascade.rules.ts';
import { saveLeaves } from '../cascade/save-leaves.ts';
import { scheduleConflict } from '../record/conflict.rules.ts';
import { CONFLICT, withConflictNames } from '../record/conflict.shape.ts';
import { hasApprovedLeave } from '../record/expected-students.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { readSeat } from '../record/occupancy.ts';
import { requireCredit, requireBookableLesson } from './make-up.rules.ts';

/**
 * SQL condition: the student is expected at another lesson `s` during lesson `l`, as a member without leave or as a
 * guest.
 */
export const isExpectedElsewhere = (student: string): string => `s.org_id = l.org_id and s.student_id = ${student}
  and s.lesson_id <> l.id and not s.excused
  and s.starts_at < l.ends_at and s.ends_at > l.starts_at and s.starts_at > l.starts_at - interval '24 hours'`;
/** SQL condition: without the booking, the student would still be expected at the lesson of a row of `lesson_student`. */
const isExpectedAsMember = (row: string): string => `(
  exists (select from enrolment_period p where p.org_id = ${row}.org_id and p.clazz_id = ${row}.clazz_id
    and p.student_id = ${row}.student_id and p.during @> ${row}.starts_at)
  and not ${hasApprovedLeave(`${row}.lesson_id`, `${row}.student_id`)})`;
const CLASHES = statement(
  withConflictNames(`select 0 as n, s.lesson_id, s.clazz_id, s.starts_at, s.ends_at, null as teacher_id, null as room, $3 as student_id,
     s.override
   from lesson l
   join lesson_student s on ${isExpectedElsewhere('$3')}
     and (s.lesson_id is distinct from $4 or ${isExpectedAsMember('s')})
   where l.org_id = $1 and l.id = $2`),
  CONFLICT,
);

/**
 * 409 `schedule_conflict` when the student has another lesson at this time. `ending` is the lesson of a booking that
 * ends: it counts only if the student is a member of its class by now.
 */
export const requireStudentFree = async (
  session: Session,
  lesson_id: string,
  student_id: string,
  ending: string | null = null,
): Promise<void> => {
  await lockSchedule(session, { students: [student_id] });
  const clashes = await session.query(CLASHES, session.org_id, lesson_id, student_id, ending);
  if (clashes.length > 0) throw scheduleConflict(clashes);
};

/** 409 `clazz_full` when no seat is free. A member has one already. */
const requireSeat = async (session: Session, lesson_id: string, student_id: string): Promise<void> => {
  const seat = await readSeat(session, lesson_id, student_id);
  if (seat?.free === 0 && !seat.seated) throw new Problem('clazz_full', 'The lesson has no free seat');
};

const SET_BOOKED = statement('update lesson set booked = true where org_id = $1 and id = $2 and not booked');

/**
 * Books a lesson with the credit of a leave. Both lessons are locked. The student is then expected at the booked
 * lesson. A restored booking may be of a student who is a member of its class by now, as if it had not ended.
 */
export const bookLesson = async (
  session: Session,
  leave: LeaveState,
  target: LessonState,
  reason: string | null = null,
): Promise<LeaveState> => {
  const credit = requireCredit(leave, target.lesson.starts_at);
  const { student_id } = leave;
  requireBookableLesson(target, student_id, session.now);
  const lesson_id = target.lesson.id;
  await requireSeat(session, lesson_id, student_id);
  await requireStudentFree(session, lesson_id, student_id);
  const isRebooked = credit?.ended_lesson_id === lesson_id;
  const used = {
    ...credit,
    ...(isRebooked ? { ended_lesson_id: null, ended_at: null } : {}),
    status: 'used' as const,
    lesson_id,
  };
  session.run(SET_BOOKED, session.org_id, lesson_id);
  const after = { ...leave, credit: used, version: leave.version + 1 };
  await saveLeaves(session, [{ before: leave, after }], reason);
  return after;
};
