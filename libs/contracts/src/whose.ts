import type { Role } from './scalars.ts';

/** What makes a thing somebody's, in the words of the document. Each service says of its things by which people it is so. */
export const RULES = {
  self: 'what is about themselves',
  owner: 'what they own',
  lead: 'classes that they lead',
  teacher: 'classes, lessons and students that they teach',
  member: 'what they are or were in, or what was assigned to them',
  students: 'any student',
  acquainted: 'people they have to do with',
  offered: 'what is offered',
} as const;
export type Rule = keyof typeof RULES;

/** By any of these, or everything of the organization. */
type Reach = 'all' | Rule | readonly [Rule, ...Rule[]];

/**
 * Whose things a call is about: the same for each role, or for each its own. Supervisors reach everything, unless one
 * rule is said for all; guardians reach what their child does.
 */
export type Whose = 'all' | Rule | { readonly TEACHER?: Reach; readonly STUDENT?: Reach };

/** What each role of a call reaches. */
export type Reaches = Readonly<Partial<Record<Role, 'all' | readonly Rule[]>>>;

const rulesOf = (reach: Reach): 'all' | readonly Rule[] =>
  reach === 'all' ? 'all' : typeof reach === 'string' ? [reach] : reach;

const reachOf = (role: Role, whose: Whose | undefined): Reach | undefined => {
  if (whose === undefined) return role === 'SUPERVISOR' ? 'all' : undefined;
  if (typeof whose === 'string') return whose;
  if (role === 'SUPERVISOR') return 'all';
  return whose[role === 'GUARDIAN' ? 'STUDENT' : role];
};

/** What each of the callers reaches; a call that leaves one out is none. */
export const reachesOf = (id: string, who: readonly Role[], whose: Whose | undefined): Reaches =>
  Object.fromEntries(
    who.map((role) => {
      const reach = reachOf(role, whose);
      if (reach === undefined) throw new Error(`${id} does not say whose things a ${role} reaches`);
      return [role, rulesOf(reach)];
    }),
  );
