import { type Change, type Hint, readableBy, type Role, type Rule } from '@teaching/contracts';

/** The reader of a page, and the people and classes related to them. */
export interface Viewer {
  user_id: string;
  roles: readonly Role[];
  /** Of a guardian. */
  children: ReadonlySet<string>;
  /** Of a student, or of a guardian's children. */
  clazz_ids: ReadonlySet<string>;
  /** Of a teacher. */
  students: ReadonlySet<string>;
}

/** Whose things a role reaches as its own. */
const isOwn = (viewer: Viewer, role: Role, user_id: string): boolean =>
  user_id === viewer.user_id || (role === 'GUARDIAN' && viewer.children.has(user_id));

/** Whether it is theirs by a rule; by one that is not known here it is not. */
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

/** Whom of a change that is theirs by rules they are told. */
const toldOf = (viewer: Viewer, user_id: string): boolean =>
  viewer.roles.some((role) => isOwn(viewer, role, user_id)) || viewer.students.has(user_id);

/**
 * A change as somebody may hear of it: what they may read by the API, as its contracts say, and nothing else. Whoever does not
 * reach everything of its kind is told of nobody but themselves, their children and their students.
 */
export const visibleChange = (viewer: Viewer, hint: Hint): Change | undefined => {
  const { kind, ids, clazz_id, user_ids } = hint;
  const reaches = viewer.roles.map((role) => ({ role, reach: readableBy(kind, role) }));
  if (reaches.some(({ reach }) => reach === 'all')) return { kind, ids, clazz_id, user_ids };
  const isTheirs = reaches.some(
    ({ role, reach }) => reach !== 'all' && reach.some((rule) => holds(viewer, role, rule, hint)),
  );
  return isTheirs ? { kind, ids, clazz_id, user_ids: user_ids.filter((id) => toldOf(viewer, id)) } : undefined;
};

const MOVING: ReadonlySet<string> = new Set<Hint['kind']>(['enrolment', 'clazz', 'member']);

/** Whether they may have to do with other things from now on. */
export const canChangeRelations = (viewer: Viewer, { kind, clazz_id, user_ids }: Hint): boolean =>
  MOVING.has(kind) &&
  (user_ids.some((id) => id === viewer.user_id || viewer.children.has(id) || viewer.students.has(id)) ||
    (clazz_id !== null && viewer.clazz_ids.has(clazz_id)));
