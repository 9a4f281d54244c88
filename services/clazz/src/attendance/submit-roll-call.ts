import { notFound, type rollCallCalls, type RollCallRow } from '@teaching/contracts';
import { type Handler, type Session, statement, nextVersion } from '@teaching/kit';
import { audit } from '../audit/record-audit.ts';
import { isListed, type LessonState, type SeatInstruction } from '../cascade/cascade.rules.ts';
import { runCascade } from '../cascade/run-cascade.ts';
import { lockSeats } from '../cascade/lock-seats.ts';
import { requireOpen } from '../record/access.rules.ts';
import { replaceExpectedStudents } from '../record/expected-students.ts';
import { publishLessonEvents } from '../record/lesson-rows.ts';
import { namesOf } from '../record/member-names.ts';
import { recordMissingMarks } from './missing-marks.ts';
import { restoreBookingsAfterMarks } from './restore-bookings.ts';
import {
  isMarkedByLeave,
  isRollCallUndone,
  isWithdrawalOnly,
  requireListedStudentsOnly,
  requireMarker,
  requireWithdrawer,
  requireNewestRevision,
  requireRollCallTime,
  type SubmittedMarks,
  toRollCallRow,
} from './roll-call.rules.ts';

type NameOf = Awaited<ReturnType<typeof namesOf>>;

/**
 * The names of all people that a roll call may show. They do not depend on the marks, so they can be read before
 * anything is stored.
 */
export const rollCallNames = (
  session: Session,
  { lesson, seats }: Pick<LessonState, 'lesson' | 'seats'>,
): Promise<NameOf> => {
  const people = seats.flatMap(({ student_id, mark }) => [student_id, mark?.marked_by ?? null]);
  return namesOf(session, session.org_id, [lesson.teacher_id, session.actor_id, ...people]);
};

/** A roll call with names, as the answer contains it. */
export const toRollCall = (
  { lesson, clazz }: Pick<LessonState, 'lesson' | 'clazz'>,
  rows: readonly RollCallRow[],
  nameOf: NameOf,
) => ({
  lesson: { ...lesson, clazz_name: clazz.name, teacher_name: nameOf(lesson.teacher_id) },
  marks: rows.map((row) => ({
    ...row,
    student_name: nameOf(row.student_id),
    marked_by_name: nameOf(row.marked_by),
  })),
});

const SET_STATUS = statement(
  `update lesson set status = $4, held_at = case when $4 = 'held' then $3::timestamptz end, version = version + 1,
     updated_at = $3
   where org_id = $1 and id = $2`,
);

const withStatus = (session: Session, state: LessonState, status: 'held' | 'scheduled'): LessonState => {
  const { lesson } = state;
  session.run(SET_STATUS, session.org_id, lesson.id, session.now, status);
  const after = nextVersion({ ...lesson, status }, session);
  session.publishOnCommit(publishLessonEvents, [after]);
  const changes = { status: { before: lesson.status, after: status } };
  audit(session, lesson.clazz_id, [{ action: 'update', entity: 'lesson', entity_id: lesson.id, changes }]);
  return { ...state, lesson: after };
};

/** Sets a scheduled lesson to `held` when a roll call marks a student, or when the lesson has no students. */
const markHeld = (session: Session, state: LessonState, marks: SubmittedMarks): LessonState =>
  state.lesson.status === 'held' || isWithdrawalOnly(marks) ? state : withStatus(session, state, 'held');

/**
 * Submits or corrects the roll call of a whole class. Submitting the same marks again changes nothing.
 * A mark is never overwritten. Each difference becomes a new revision with its charge, a withdrawn mark as well, all in
 * one transaction.
 */
export const submitRollCall: Handler<typeof rollCallCalls.submitRollCall> = async ({ path, body }, session) => {
  const { policy, lessons } = await lockSeats(session, [path.lesson_id]);
  const [state] = lessons;
  if (state === undefined) throw notFound('Lesson');
  requireMarker(session.access, state);
  requireWithdrawer(state.seats, body, session);
  requireOpen(state.clazz);
  const { caller, now } = session;
  requireRollCallTime(state, policy, { caller, reason: body.reason, marks: body.marks }, now);
  requireListedStudentsOnly(state.seats, body.marks);
  requireNewestRevision(state.seats, body.marks, session.actor_id);
  const isUndone = isRollCallUndone(state, body.marks, session);
  const current = isUndone ? withStatus(session, state, 'scheduled') : markHeld(session, state, body.marks);
  const instructions = new Map<string, SeatInstruction>(
    body.marks.map(({ student_id, mark, note, late_minutes }) => [
      student_id,
      { mark, note: note ?? null, late_minutes },
    ]),
  );
  if (isUndone)
    for (const { student_id } of state.seats.filter(isMarkedByLeave)) instructions.set(student_id, { mark: null });
  const request = {
    policy,
    lessons: [current],
    instructions,
    reason: body.reason ?? null,
    trigger: 'roll call' as const,
  };
  // The names are read by the first statement, which is sent in one packet with the statements of the cascade.
  const [nameOf, [after]] = await Promise.all([rollCallNames(session, current), runCascade(session, request)]);
  const listed = (after?.seats ?? []).filter(isListed);
  if (isUndone) replaceExpectedStudents(session, [current.lesson.id]);
  else if (current.lesson.status === 'held') recordMissingMarks(session, state, after?.seats ?? []);
  const not_restored = await restoreBookingsAfterMarks(session, current.seats, after?.seats ?? [], body.reason ?? null);
  const answer = toRollCall(current, listed.map(toRollCallRow), nameOf);
  return not_restored.length === 0 ? answer : { ...answer, not_restored };
};
