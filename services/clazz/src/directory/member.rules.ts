import {
  type FieldProblem,
  type Input,
  type Member,
  type memberCalls,
  MemberFields,
  Problem,
  type Role,
} from '@teaching/contracts';
import { type Caller, isStaff } from '@teaching/kit';

/** A record as its caller may see it, if they may: staff all of it, people their own but for the note. */
export const canReadMember = (caller: Caller, it: Member): Omit<Member, 'note'> & Partial<Pick<Member, 'note'>> => {
  if (isStaff(caller)) return it;
  const { note: _inner, ...own } = it;
  return own;
};

/** The caller stays active, and can activate the others again. */
export const requireAnother = (actor_id: string, user_id: string): void => {
  if (user_id === actor_id) throw new Problem('forbidden', 'Nobody sets themselves inactive');
};

type Given = Input<typeof memberCalls.putMembers>['body']['members'][number];
type Patch = Input<typeof memberCalls.updateMember>['body'];
type MemberContent = Omit<Member, 'status' | 'version' | 'created_at' | 'updated_at'>;

/** The former roles, where only another primary role is given. */
const rolesWith = (role: Role, roles: readonly Role[]): Role[] => (roles.includes(role) ? [...roles] : [role]);

/** The new content of a member: fields that are left out stay, null clears. */
export const newMember = (before: Member | undefined, given: Given): MemberContent => {
  if (before !== undefined) return patchedMember(before, given);
  return { user_id: given.user_id, ...MemberFields.withDefaults(given, { roles: [given.role] }) };
};

/** The same of a member the directory has. */
export const patchedMember = (before: Member, given: Patch): MemberContent => {
  const { role = before.role, roles = rolesWith(role, before.roles) } = given;
  return { user_id: before.user_id, ...MemberFields.applyPatch(before, { ...given, roles }, { roles: [role] }) };
};

const NAMES = ['user_id', 'display_name', 'given_name', 'family_name'] as const;
/** A comma separates values where lists are asked for, so none stands in an id or a name. */
export const nameProblems = (
  given: { readonly [N in (typeof NAMES)[number]]?: string | null | undefined },
  path: string,
): FieldProblem[] =>
  NAMES.filter((name) => given[name]?.includes(',') === true).map((name) => ({
    path: `${path}/${name}`,
    message: 'must not contain a comma',
  }));

const distinct = (roles: readonly Role[]): boolean => new Set(roles).size === roles.length;

/** Problems of roles: the primary one is among them, none is named twice. */
export const roleProblems = (role: Role, roles: readonly Role[] | null | undefined, path: string): FieldProblem[] => {
  if (roles === null || roles === undefined) return [];
  if (!roles.includes(role)) return [{ path, message: `must contain ${role}, the primary role` }];
  return distinct(roles) ? [] : [{ path, message: 'names a role twice' }];
};

/** The roles in which the caller is related to others, by the token alone. */
export const relationRoles = (caller: Pick<Caller, 'roles'>) => ({
  student: caller.roles.includes('STUDENT'),
  guardian: caller.roles.includes('GUARDIAN'),
  teacher: caller.roles.includes('TEACHER'),
});
