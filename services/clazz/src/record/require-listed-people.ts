import { unknownIds } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { policyInForce } from '../policy/policy.ts';
import { type NamedMember, listingProblems } from './named-members.rules.ts';
import { MEMBER } from './record.tables.ts';

const LISTED = MEMBER.pick('user_id', 'roles', 'status');
/**
 * The rows are locked in the same order everywhere. A transaction that deactivates one of these people waits, or has
 * finished and is visible.
 */
const HOLD = statement(
  `select ${LISTED.columns} from member where org_id = $1 and user_id = any($2::text[]) order by user_id for share`,
  LISTED.shape,
);

/**
 * Under the policy `people: listed`, 404 naming each person who is not an active member with the required role.
 * The people stay active until the transaction ends. Call it after the locks of classes and before those of accounts.
 */
export const requireListedPeople = async (session: Session, named: readonly NamedMember[]): Promise<void> => {
  if (named.length === 0) return;
  const { people } = await policyInForce(session, session.org_id);
  if (people === 'open') return;
  const ids = [...new Set(named.map(({ user_id }) => user_id))];
  const errors = listingProblems(named, await session.query(HOLD, session.org_id, ids));
  if (errors.length > 0) throw unknownIds(errors);
};

/** The teachers among `ids` that may be named. They stay active until the transaction ends. */
export const listedTeachers = async (session: Session, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const distinctIds = [...new Set(ids)];
  const { people } = await policyInForce(session, session.org_id);
  if (people === 'open') return new Set(distinctIds);
  const named = distinctIds.map((user_id): NamedMember => ({ user_id, role: 'TEACHER', path: user_id }));
  const refused = listingProblems(named, await session.query(HOLD, session.org_id, distinctIds));
  const refusedIds = new Set(refused.map(({ path }) => path));
  return new Set(distinctIds.filter((id) => !refusedIds.has(id)));
};

/** 404 naming each student who may not be named, with the path. */
export const requireListedStudents = (session: Session, ids: readonly string[], pathOf: (index: number) => string) =>
  requireListedPeople(
    session,
    ids.map((user_id, index) => ({ user_id, role: 'STUDENT', path: pathOf(index) })),
  );

/** 404 when the teacher may not be named. */
export const requireListedTeacher = (session: Session, user_id: string, path: string): Promise<void> =>
  requireListedPeople(session, [{ user_id, role: 'TEACHER', path }]);
