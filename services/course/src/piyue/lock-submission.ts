import { type Lianxi, notFound } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { SUBMISSION_COLUMNS, SUBMISSION_FROM } from '../submission/submission-row.ts';
import type { StoredSubmission } from '../submission/submission.rules.ts';

/** Locked in the order of their ids, so that two lists that overlap never wait for each other in a circle. */
const LOCK = statement<StoredSubmission>(
  `select ${SUBMISSION_COLUMNS} from ${SUBMISSION_FROM}
   where s.org_id = $1 and s.id = any($2::uuid[]) order by s.id for update of s`,
);
const LIANXI = statement<Pick<Lianxi, 'content' | 'clazz_id'>>(
  'select content, clazz_id from lianxi where org_id = $1 and id = $2',
);

export const lockSubmissions = (session: Session, ids: readonly string[]): Promise<StoredSubmission[]> =>
  session.query(LOCK, session.org_id, ids);

export const lockSubmission = async (session: Session, id: string): Promise<StoredSubmission> => {
  const [found] = await lockSubmissions(session, [id]);
  if (found === undefined) throw notFound('Submission');
  session.checkVersion(found.version);
  return found;
};

/** The practice that a submission answers. */
export const lianxiOf = async (
  session: Session,
  { lianxi_id }: StoredSubmission,
): Promise<Pick<Lianxi, 'content' | 'clazz_id'>> => {
  const found = await session.one(LIANXI, session.org_id, lianxi_id);
  if (found === undefined) throw notFound('Submission');
  return found;
};
