import { courseEvents, type piyueCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { namedView } from '../submission/submission.rules.ts';
import { lockSubmission } from './lock-submission.ts';
import { claimExpiry, requireNotClaimedByOthers } from './marking.rules.ts';

const CLAIM = statement(
  'update submission set claimed_by = $3, claim_expires_at = $4, version = $5 where org_id = $1 and id = $2',
);

/** Exclusive until it expires; the submission's row is the lock, so of two at once one is refused. */
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
  return namedView({ ...claimed, claimed_by_name: caller_name }, session.caller, session.now);
};
