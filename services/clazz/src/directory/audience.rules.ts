import type { Caller } from '@teaching/kit';

/** As what somebody has to do with others: what a token does not say, they are not here. */
export const actsAs = (caller: Pick<Caller, 'roles'>) => ({
  student: caller.roles.includes('STUDENT'),
  guardian: caller.roles.includes('GUARDIAN'),
  teacher: caller.roles.includes('TEACHER'),
});
