import { type Clazz, type Lesson, Problem } from '@teaching/contracts';
import { type Caller, isStaff, type AccessFilter } from '@teaching/kit';

/** A completed or cancelled class accepts no roll call, leave, schedule, staff or enrolment change. */
export const requireOpen = (it: Pick<Clazz, 'status'>): void => {
  if (it.status === 'completed' || it.status === 'cancelled') {
    throw new Problem('clazz_closed', `The class is ${it.status}`);
  }
};

export const MANAGERS = "Only the class's lead teacher or a supervisor may";

/** The lead teacher or a supervisor. */
export const requireManager = (reach: AccessFilter, it: Pick<Clazz, 'lead_teacher_id'>): void =>
  reach.requireAccess({ lead: it.lead_teacher_id }, MANAGERS);

/** The lead teacher of a lesson's class, and all who teach it: lead and assistants of the class, and the lesson's own teacher. */
export const relatedPeopleOf = ({
  clazz: { lead_teacher_id, assistant_ids },
  lesson,
}: {
  clazz: Pick<Clazz, 'lead_teacher_id' | 'assistant_ids'>;
  lesson: { teacher_id: string };
}) => ({ lead: lead_teacher_id, teacher: [lead_teacher_id, ...assistant_ids, lesson.teacher_id] });

/** Refuses a student other than the caller, also to staff; guardians act for the child they name. */
export const requireOwn = (reach: AccessFilter, student_id: string | null | undefined): void =>
  reach.requireAccess({ self: student_id ?? true }, 'Only a guardian may name a student here');

type Reason = Pick<Lesson, 'cancel_reason' | 'reason_public'>;

/** A lesson as the caller may see it: students see that it was cancelled, and why only where that was made public. */
export const isSeenBy =
  (caller: Caller) =>
  <L extends Reason>(it: L): L =>
    isStaff(caller) || it.reason_public ? it : { ...it, cancel_reason: null };
