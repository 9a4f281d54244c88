import { courseEvents, notFound, type piyueCalls } from '@teaching/contracts';
import { type Handler, p, type Session, statement } from '@teaching/kit';
import { submissionList } from '../lianxi/list-submissions.ts';
import { type NamedStoredSubmission, namedSubmissionView } from '../lianxi/submission.rules.ts';
import { NAMED_SUBMISSION, STORED_SUBMISSION } from '../lianxi/submission-rows.ts';
import { claimExpiry, requireNotClaimedByOthers, teacherOfQueue } from './marking.rules.ts';

/** Locks the rows in the order of their ids, so that two requests with overlapping lists cannot deadlock. */
const LOCK = statement(
  `select ${NAMED_SUBMISSION.columns}, (select display_name from member where org_id = $1 and user_id = $3) as caller_name
   from ${STORED_SUBMISSION.from}
   where s.org_id = $1 and s.id = any($2::uuid[]) order by s.id for update of s`,
  { ...NAMED_SUBMISSION.shape, caller_name: p.text().nullable() },
);

/** A locked submission with the name of the caller, who may become its marker. */
interface LockedSubmission extends NamedStoredSubmission {
  caller_name: string | null;
}

export const lockSubmissions = (session: Session, ids: readonly string[]): Promise<LockedSubmission[]> =>
  session.query(LOCK, session.org_id, ids, session.caller.user_id);

export const lockSubmission = async (session: Session, id: string): Promise<LockedSubmission> => {
  const [found] = await lockSubmissions(session, [id]);
  if (found === undefined) throw notFound('Submission');
  session.checkVersion(found.version);
  return found;
};

/** Lists the submissions that the caller can mark now: unmarked, and not claimed by another person. */
export const listPiyueQueue: Handler<typeof piyueCalls.listPiyueQueue> = async ({ query }, session) => {
  const { caller, now } = session;
  const { lianxi_id } = query;
  const teacher_id = teacherOfQueue(caller, lianxi_id);
  const where = { unmarked: true, lianxi_id, teacher_id, claimable_by: caller.user_id };
  const list = await submissionList(session, query, where, { clock: now });
  return { ...list, items: list.items.map((it) => namedSubmissionView(it, caller, now)) };
};

const CLAIM = statement(
  'update submission set claimed_by = $3, claim_expires_at = $4, version = $5 where org_id = $1 and id = $2',
);

/**
 * Claims a submission for the caller, or renews the caller's claim. The claim is exclusive until it expires. The lock
 * on the row refuses one of two parallel claims (409 `claim_held`).
 */
export const claimSubmission: Handler<typeof piyueCalls.claimSubmission> = async ({ path }, session) => {
  const { user_id } = session.caller;
  const { caller_name, ...it } = await lockSubmission(session, path.submission_id);
  requireNotClaimedByOthers(it, user_id, session.now);
  const expires_at = claimExpiry(session.now);
  const claimed = { ...it, claimed_by: user_id, claim_expires_at: expires_at, version: it.version + 1 };
  session.run(CLAIM, session.org_id, it.id, user_id, expires_at, claimed.version);
  session.emit(courseEvents.submissionClaimed, it.id, {
    submission_id: it.id,
    lianxi_id: it.lianxi_id,
    marker_id: user_id,
    expires_at,
  });
  return namedSubmissionView({ ...claimed, claimed_by_name: caller_name }, session.caller, session.now);
};
