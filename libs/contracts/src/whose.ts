import type { Role } from './scalars.ts';

/**
 * Access rules, with their text in the API reference. For each rule, a service determines the people related to a
 * record.
 */
export const RULES = {
  self: 'records about the caller',
  owner: 'records that the caller owns',
  lead: 'classes that the caller leads',
  teacher: 'classes, lessons and students that the caller teaches',
  member: 'records that the student is or was a member of, or that are assigned to the student',
  students: 'records of any student',
  acquainted: 'teachers and relatives of the caller',
  offered: 'records that are offered to the whole organization',
} as const;
export type Rule = keyof typeof RULES;

/** All records of the organization, or those that match any of these rules. */
type RoleAccess = 'all' | Rule | readonly [Rule, ...Rule[]];

/**
 * The records that a call can access: the same for all roles, or by role. By role, supervisors can access everything.
 * A guardian can access the records that the child can access.
 */
export type Whose = 'all' | Rule | { readonly TEACHER?: RoleAccess; readonly STUDENT?: RoleAccess };

/** The records that each role of a call can access. */
export type Reaches = Readonly<Partial<Record<Role, 'all' | readonly Rule[]>>>;

const rulesOf = (access: RoleAccess): 'all' | readonly Rule[] =>
  access === 'all' ? 'all' : typeof access === 'string' ? [access] : access;

const accessOf = (role: Role, access: Whose | undefined): RoleAccess | undefined => {
  if (access === undefined) return role === 'SUPERVISOR' ? 'all' : undefined;
  if (typeof access === 'string') return access;
  if (role === 'SUPERVISOR') return 'all';
  return access[role === 'GUARDIAN' ? 'STUDENT' : role];
};

/** The access of each role that may make the call `id`. Throws if a role has no access rule. */
export const reachesOf = (id: string, roles: readonly Role[], access: Whose | undefined): Reaches =>
  Object.fromEntries(
    roles.map((role) => {
      const own = accessOf(role, access);
      if (own === undefined) throw new Error(`${id} declares no access rule for the role ${role}`);
      return [role, rulesOf(own)];
    }),
  );
