import { type Change, type Hint, readableBy, type Role, type Rule } from '@teaching/contracts';

/** The reader of a page, and the people and classes related to them. */
export interface Viewer {
  user_id: string;
  roles: readonly Role[];
  /** The children of a guardian. */
  children: ReadonlySet<string>;
  /** The classes of a student, or of a guardian's children. */
  clazz_ids: ReadonlySet<string>;
  /** The students of a teacher. */
  students: ReadonlySet<string>;
}

/** True for the viewer and, as a guardian, for the viewer's children. */
const isOwn = (viewer: Viewer, role: Role, user_id: string): boolean =>
  user_id === viewer.user_id || (role === 'GUARDIAN' && viewer.children.has(user_id));

/** True when the viewer can access the change by this rule. Rules that the gateway cannot check give no access. */
const holds = (viewer: Viewer, role: Role, rule: Rule, { clazz_id, user_ids, offered }: Hint): boolean => {
  switch (rule) {
    case 'self':
    case 'owner':
      return user_ids.some((id) => isOwn(viewer, role, id));
    case 'member':
      return (clazz_id !== null && viewer.clazz_ids.has(clazz_id)) || user_ids.some((id) => isOwn(viewer, role, id));
    case 'teacher':
      return user_ids.some((id) => viewer.students.has(id));
    case 'offered':
      return offered === true;
    case 'lead':
    case 'students':
    case 'acquainted':
      return false;
  }
};

/** True when the viewer may see this person in a change that they can access. */
const isVisiblePerson = (viewer: Viewer, user_id: string): boolean =>
  viewer.roles.some((role) => isOwn(viewer, role, user_id)) || viewer.students.has(user_id);

/**
 * The part of a change that the viewer may read through the API, by the access rules of the contracts; undefined for no
 * access. A viewer without access to all records of the kind sees only themselves, their children and their students in
 * it.
 */
export const visibleChange = (viewer: Viewer, hint: Hint): Change | undefined => {
  const { kind, ids, clazz_id, user_ids } = hint;
  const reaches = viewer.roles.map((role) => ({ role, reach: readableBy(kind, role) }));
  if (reaches.some(({ reach }) => reach === 'all')) return { kind, ids, clazz_id, user_ids };
  const isTheirs = reaches.some(
    ({ role, reach }) => reach !== 'all' && reach.some((rule) => holds(viewer, role, rule, hint)),
  );
  return isTheirs ? { kind, ids, clazz_id, user_ids: user_ids.filter((id) => isVisiblePerson(viewer, id)) } : undefined;
};

const RELATION_KINDS: ReadonlySet<string> = new Set<Hint['kind']>(['enrolment', 'clazz', 'member']);

/** True when the viewer may have other related people or classes after this change. */
export const canChangeRelations = (viewer: Viewer, { kind, clazz_id, user_ids }: Hint): boolean =>
  RELATION_KINDS.has(kind) &&
  (user_ids.some((id) => id === viewer.user_id || viewer.children.has(id) || viewer.students.has(id)) ||
    (clazz_id !== null && viewer.clazz_ids.has(clazz_id)));
