import { Problem } from '@teaching/contracts';
import { type Caller, isStaff, isSupervisor } from '@teaching/kit';

/** Students see themselves; staff any student of the org. */
export const studentAsked = (caller: Caller, student_id: string | undefined): string => {
  const asked = student_id ?? caller.user_id;
  if (asked !== caller.user_id && !isStaff(caller)) {
    throw new Problem('forbidden', 'Students see their own statistics only');
  }
  return asked;
};

/** Teachers see themselves; supervisors any teacher. */
export const teacherAsked = (caller: Caller, teacher_id: string | undefined): string => {
  const asked = teacher_id ?? caller.user_id;
  if (asked !== caller.user_id && !isSupervisor(caller)) {
    throw new Problem('forbidden', 'Teachers see their own statistics only');
  }
  return asked;
};
