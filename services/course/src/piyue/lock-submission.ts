import { notFound } from '@teaching/contracts';
import { p, type Session, statement } from '@teaching/kit';
import { NAMED, STORED } from '../submission/stored-submission.ts';
import type { NamedStored } from '../submission/submission.rules.ts';

/** Locked in the order of their ids, so that two lists that overlap never wait for each other in a circle. */
const LOCK = statement(
  `select ${NAMED.columns}, (select display_name from member where org_id = $1 and user_id = $3) as caller_name
   from ${STORED.from}
   where s.org_id = $1 and s.id = any($2::uuid[]) order by s.id for update of s`,
  { ...NAMED.shape, caller_name: p.text().nullable() },
);

/** With what the directory calls whoever asks, who marks it next. */
interface Locked extends NamedStored {
  caller_name: string | null;
}

export const lockSubmissions = (session: Session, ids: readonly string[]): Promise<Locked[]> =>
  session.query(LOCK, session.org_id, ids, session.caller.user_id);

export const lockSubmission = async (session: Session, id: string): Promise<Locked> => {
  const [found] = await lockSubmissions(session, [id]);
  if (found === undefined) throw notFound('Submission');
  session.checkVersion(found.version);
  return found;
};
