import {
  type FieldProblem,
  type Input,
  type Member,
  MEMBER_NAMES,
  NO_COMMA,
  type memberCalls,
  MemberFields,
  Problem,
  type Role,
} from '@teaching/contracts';
import { type Caller, isStaff } from '@teaching/kit';

/** The member as the caller may see it: complete for staff, without the note for the member. */
export const visibleMember = (caller: Caller, it: Member): Omit<Member, 'note'> & Partial<Pick<Member, 'note'>> => {
  if (isStaff(caller)) return it;
  const { note: _inner, ...own } = it;
  return own;
};

/** 403 for callers who deactivate themselves. So one active supervisor is always left to reactivate other members. */
export const requireOtherMember = (actor_id: string, user_id: string): void => {
  if (user_id === actor_id) throw new Problem('forbidden', 'You cannot deactivate yourself');
};

type PutMember = Input<typeof memberCalls.putMembers>['body']['members'][number];
type Patch = Input<typeof memberCalls.updateMember>['body'];
type MemberContent = Omit<Member, 'status' | 'version' | 'created_at' | 'updated_at'>;

/** The roles with a new primary role: the former roles if they contain it, else this role only. */
const rolesWith = (role: Role, roles: readonly Role[]): Role[] => (roles.includes(role) ? [...roles] : [role]);

/** The content of a created or updated member. Omitted fields keep their value, null clears them. */
export const newMember = (before: Member | undefined, input: PutMember): MemberContent => {
  if (before !== undefined) return patchedMember(before, input);
  return { user_id: input.user_id, ...MemberFields.withDefaults(input, { roles: [input.role] }) };
};

/** The same for a member of the directory. */
export const patchedMember = (before: Member, input: Patch): MemberContent => {
  const { role = before.role, roles = rolesWith(role, before.roles) } = input;
  return { user_id: before.user_id, ...MemberFields.applyPatch(before, { ...input, roles }, { roles: [role] }) };
};

/** Refuses commas in ids and names, because list filters separate values by commas. */
export const nameProblems = (
  input: { readonly [N in (typeof MEMBER_NAMES)[number]]?: string | null | undefined },
  path: string,
): FieldProblem[] =>
  MEMBER_NAMES.filter((name) => input[name]?.includes(',') === true).map((name) => ({
    path: `${path}/${name}`,
    message: NO_COMMA,
  }));

const distinct = (roles: readonly Role[]): boolean => new Set(roles).size === roles.length;

/** Problems of roles: they must contain the primary role, and none may be repeated. */
export const roleProblems = (role: Role, roles: readonly Role[] | null | undefined, path: string): FieldProblem[] => {
  if (roles === null || roles === undefined) return [];
  if (!roles.includes(role)) return [{ path, message: `must contain ${role}, the primary role` }];
  return distinct(roles) ? [] : [{ path, message: 'contains the same role twice' }];
};

/** The roles in which the caller is related to other people, from the token alone. */
export const relationRoles = (caller: Pick<Caller, 'roles'>) => ({
  student: caller.roles.includes('STUDENT'),
  guardian: caller.roles.includes('GUARDIAN'),
  teacher: caller.roles.includes('TEACHER'),
});
