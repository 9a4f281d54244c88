import { notFound } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { STORED } from '../submission/stored-submission.ts';
import type { StoredSubmission } from '../submission/submission.rules.ts';

/** Locked in the order of their ids, so that two lists that overlap never wait for each other in a circle. */
const LOCK = statement(
  `select ${STORED.columns} from ${STORED.from}
   where s.org_id = $1 and s.id = any($2::uuid[]) order by s.id for update of s`,
  STORED.shape,
);

export const lockSubmissions = (session: Session, ids: readonly string[]): Promise<StoredSubmission[]> =>
  session.query(LOCK, session.org_id, ids);

export const lockSubmission = async (session: Session, id: string): Promise<StoredSubmission> => {
  const [found] = await lockSubmissions(session, [id]);
  if (found === undefined) throw notFound('Submission');
  session.checkVersion(found.version);
  return found;
};
