import { unknownIds } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { policyInForce } from '../policy/policy.ts';
import { type NamedMember, listingProblems } from './named-members.rules.ts';
import { MEMBER } from './record.tables.ts';

const LISTED = MEMBER.pick('user_id', 'roles', 'status');
/** In one order everywhere. A transaction that makes one of them inactive waits, or was before and is seen. */
const HOLD = statement(
  `select ${LISTED.columns} from member where org_id = $1 and user_id = any($2::text[]) order by user_id for share`,
  LISTED.shape,
);

/**
 * Where policy `people` is `listed`: 404 naming all who are not active members of the right role; until the
 * transaction ends they stay what they are. Asked after the locks of classes, before those of accounts.
 */
export const requireListedPeople = async (session: Session, named: readonly NamedMember[]): Promise<void> => {
  if (named.length === 0) return;
  const { people } = await policyInForce(session, session.org_id);
  if (people === 'open') return;
  const ids = [...new Set(named.map(({ user_id }) => user_id))];
  const errors = listingProblems(named, await session.query(HOLD, session.org_id, ids));
  if (errors.length > 0) throw unknownIds(errors);
};

/** Which of these teachers may be named; they stay so until the transaction ends. */
export const listedTeachers = async (session: Session, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const asked = [...new Set(ids)];
  const { people } = await policyInForce(session, session.org_id);
  if (people === 'open') return new Set(asked);
  const named = asked.map((user_id): NamedMember => ({ user_id, role: 'TEACHER', path: user_id }));
  const refused = listingProblems(named, await session.query(HOLD, session.org_id, asked));
  const out = new Set(refused.map(({ path }) => path));
  return new Set(asked.filter((id) => !out.has(id)));
};

/** 404 naming students who may not be, each at a place of the request. */
export const requireListedStudents = (session: Session, ids: readonly string[], pathOf: (index: number) => string) =>
  requireListedPeople(
    session,
    ids.map((user_id, index) => ({ user_id, role: 'STUDENT', path: pathOf(index) })),
  );

/** 404 where a teacher may not be named. */
export const requireListedTeacher = (session: Session, user_id: string, path: string): Promise<void> =>
  requireListedPeople(session, [{ user_id, role: 'TEACHER', path }]);
