import { type MarkRevision, notFound, type piyueCalls } from '@teaching/contracts';
import { atTime, type Filter, type Handler, isSupervisor, statement } from '@teaching/kit';
import { submissionList } from '../submission/list-submissions.ts';
import { viewOf } from '../submission/submission.rules.ts';

/** What the caller can mark now: not what somebody else has in hand. */
export const markingQueue: Handler<typeof piyueCalls.queue> = async ({ query }, session) => {
  const { caller, org_id, now } = session;
  const whose: Filter[] =
    query.lianxi_id !== undefined
      ? [['s.lianxi_id = ?', query.lianxi_id]]
      : isSupervisor(caller)
        ? []
        : [['s.teacher_id = ?', caller.user_id]];
  const list = await submissionList(
    session,
    query,
    [
      ['s.org_id = ?', org_id],
      ["s.status = 'submitted'"],
      ...whose,
      ['(s.claimed_by is null or s.claimed_by = ? or s.claim_expires_at <= clock.now)', caller.user_id],
    ],
    [atTime(now)],
  );
  return { ...list, items: list.items.map((it) => viewOf(it, caller, now)) };
};

const EXISTS = statement<{ id: string }>('select id from submission where org_id = $1 and id = $2');
const HISTORY = statement<MarkRevision>(
  `select revision, score, points, comment, rubric, reason, marked_by, marked_at
   from mark_revision where org_id = $1 and submission_id = $2 order by revision`,
);

export const markHistory: Handler<typeof piyueCalls.history> = async ({ path }, session) => {
  const [found, items] = await Promise.all([
    session.one(EXISTS, session.org_id, path.submission_id),
    session.query(HISTORY, session.org_id, path.submission_id),
  ]);
  if (found === undefined) throw notFound('Submission');
  return { items, next_cursor: null };
};
