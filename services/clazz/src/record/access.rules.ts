import { type Clazz, type Lesson, Problem } from '@teaching/contracts';
import { type Caller, isStaff, type AccessFilter } from '@teaching/kit';

/**
 * 409 `clazz_closed` for a completed or cancelled class. It accepts no roll call and no change of leave, schedule,
 * staff or enrolment.
 */
export const requireOpen = (it: Pick<Clazz, 'status'>): void => {
  if (it.status === 'completed' || it.status === 'cancelled') {
    throw new Problem('clazz_closed', `The class is ${it.status}`);
  }
};

export const MANAGERS_ONLY = "Only the class's lead teacher or a supervisor may";

/** Refuses callers other than supervisors and the lead teacher of the class. */
export const requireManager = (reach: AccessFilter, it: Pick<Clazz, 'lead_teacher_id'>): void =>
  reach.requireAccess({ lead: it.lead_teacher_id }, MANAGERS_ONLY);

/**
 * The people related to a lesson, by access rule. `lead` is the lead teacher of its class. `teacher` are all its
 * teachers: lead, assistants and the lesson's own teacher.
 */
export const relatedPeopleOf = ({
  clazz: { lead_teacher_id, assistant_ids },
  lesson,
}: {
  clazz: Pick<Clazz, 'lead_teacher_id' | 'assistant_ids'>;
  lesson: { teacher_id: string };
}) => ({ lead: lead_teacher_id, teacher: [lead_teacher_id, ...assistant_ids, lesson.teacher_id] });

/** Refuses a student other than the caller, also for staff. A guardian may name a linked student. */
export const requireOwnStudent = (reach: AccessFilter, student_id: string | null | undefined): void =>
  reach.requireAccess({ self: student_id ?? true }, 'Only a guardian may name a student here');

type Reason = Pick<Lesson, 'cancel_reason' | 'reason_public'>;

/** The lesson as the caller may see it. Students see the reason of a cancellation only if it is public. */
export const toVisibleLesson =
  (caller: Caller) =>
  <L extends Reason>(it: L): L =>
    isStaff(caller) || it.reason_public ? it : { ...it, cancel_reason: null };
