import {
  type FieldProblem,
  type Input,
  type Member,
  type memberCalls,
  MemberFields,
  type Role,
} from '@teaching/contracts';

type Given = Input<typeof memberCalls.putBulk>['body']['members'][number];
type Kept = Omit<Member, 'status' | 'version' | 'created_at' | 'updated_at'>;

/** What was told of somebody before, where another primary role is given alone. */
const rolesWith = (role: Role, roles: readonly Role[]): Role[] => (roles.includes(role) ? [...roles] : [role]);

/** What the directory says of somebody from now on: what is left out stays, null clears. */
export const memberAfter = (before: Member | undefined, given: Given): Kept => {
  const { user_id, roles } = given;
  const asked = roles === null ? undefined : roles;
  if (before === undefined) {
    return { user_id, ...MemberFields.filled(given, { roles: asked ?? [given.role] }) };
  }
  const role = given.role;
  return {
    user_id,
    ...MemberFields.patched(before, given, { roles: [role] }),
    roles: asked ?? rolesWith(role, before.roles),
  };
};

const distinct = (roles: readonly Role[]): boolean => new Set(roles).size === roles.length;

/** Problems of roles: the primary one is among them, none is named twice. */
export const roleProblems = (role: Role, roles: readonly Role[] | null | undefined, path: string): FieldProblem[] => {
  if (roles === null || roles === undefined) return [];
  if (!roles.includes(role)) return [{ path, message: `must contain ${role}, the primary role` }];
  return distinct(roles) ? [] : [{ path, message: 'names a role twice' }];
};
