import { Problem } from '@teaching/contracts';
import { type Caller, isStaff } from '@teaching/kit';

/** Students act and look for themselves only; staff may name anybody. */
export const whoseOf = (caller: Caller, student_id: string | null | undefined): string | undefined => {
  if (isStaff(caller)) return student_id ?? undefined;
  if (student_id == null || student_id === caller.user_id) return caller.user_id;
  throw new Problem('forbidden', 'Students may name themselves only');
};

/** The same where one student is needed; `path` is where staff say whom. Staff who are students, too, mean themselves. */
export const studentOf = (caller: Caller, student_id: string | null | undefined, path: string): string => {
  const whose = whoseOf(caller, student_id) ?? (caller.roles.includes('STUDENT') ? caller.user_id : undefined);
  if (whose !== undefined) return whose;
  throw new Problem('invalid_request', { errors: [{ path, message: 'is required for staff' }] });
};
