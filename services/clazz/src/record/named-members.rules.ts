import type { FieldProblem, Member, Role } from '@teaching/contracts';

/** A person named by a request, with the required role and the path in the request. */
export interface NamedMember {
  user_id: string;
  role: Extract<Role, 'STUDENT' | 'TEACHER'>;
  path: string;
}

/** A problem for each named person who is not an active member with the required role. */
export const listingProblems = (
  named: readonly NamedMember[],
  members: readonly Pick<Member, 'user_id' | 'roles' | 'status'>[],
): FieldProblem[] => {
  const known = new Map(members.map((it) => [it.user_id, it]));
  return named.flatMap(({ user_id, role, path }) => {
    const found = known.get(user_id);
    if (found?.status === 'active' && found.roles.includes(role)) return [];
    return [{ path, message: `is no active ${role.toLowerCase()} of the directory` }];
  });
};
