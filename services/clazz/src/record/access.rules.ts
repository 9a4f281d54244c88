import { type Clazz, Problem } from '@teaching/contracts';
import { type Caller, isStaff, isSupervisor } from '@teaching/kit';

/** A completed or cancelled class accepts no roll call, leave, schedule, staff or enrolment change. */
export const requireOpen = (it: Pick<Clazz, 'status'>): void => {
  if (it.status === 'completed' || it.status === 'cancelled') {
    throw new Problem('clazz_closed', `The class is ${it.status}`);
  }
};

const isManager = (caller: Caller, it: Pick<Clazz, 'lead_teacher_id'>): boolean =>
  isSupervisor(caller) || (isStaff(caller) && it.lead_teacher_id === caller.user_id);

/** The lead teacher or a supervisor. */
export const requireManager = (caller: Caller, it: Pick<Clazz, 'lead_teacher_id'>): void => {
  if (!isManager(caller, it)) throw new Problem('forbidden', "Only the class's lead teacher or a supervisor may");
};

/** Whose a list shows: staff whomever they ask for, or everybody; students themselves, and 403 for anybody else. */
export const askedStudents = (caller: Caller, asked: readonly string[] | undefined): readonly string[] | undefined => {
  if (isStaff(caller)) return asked;
  if (asked?.some((id) => id !== caller.user_id) === true) {
    throw new Problem('forbidden', 'Students ask for themselves only');
  }
  return [caller.user_id];
};

/** What is about the caller alone is about nobody else, not even for staff; guardians are seen as the child they name. */
export const requireOwn = (caller: Caller, student_id: string | null | undefined): void => {
  if (student_id != null && student_id !== caller.user_id) {
    throw new Problem('forbidden', 'Only a guardian may name a student here');
  }
};
