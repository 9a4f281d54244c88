import { courseEvents, type piyueCalls, Problem } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import { type StoredSubmission, viewOf } from '../submission/submission.rules.ts';
import { lianxiOf, lockSubmission } from './lock-submission.ts';
import { isSameMark, pointProblems, reasonProblems, requireMayMark } from './marking.rules.ts';

const MARK = statement(
  `update submission set status = $3, revision = $4, score = $5, points = $6, comment = $7, rubric = $8,
     marked_by = $9, marked_at = $10, claimed_by = null, claim_expires_at = null, version = $11
   where org_id = $1 and id = $2`,
);
const APPEND = statement(
  `insert into mark_revision (org_id, submission_id, revision, score, points, comment, rubric, marked_by, marked_at, reason)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
);

const store = (session: Session, it: StoredSubmission, reason: string | null): void => {
  const points = JSON.stringify(it.points);
  const rubric = it.rubric === null ? null : JSON.stringify(it.rubric);
  const mark = [it.revision, it.score, points, it.comment, rubric, it.marked_by, it.marked_at];
  session.run(MARK, session.org_id, it.id, it.status, ...mark, it.version);
  session.run(APPEND, session.org_id, it.id, ...mark, reason);
};

/** The first mark or another one: each is a revision that stays. Points left out keep what they were. */
export const markSubmission: Handler<typeof piyueCalls.mark> = async ({ path, body }, session) => {
  const { user_id } = session.caller;
  const reason = body.reason ?? null;
  const it = await lockSubmission(session, path.submission_id);
  const { content, clazz_id } = await lianxiOf(session, it);
  requireMayMark(it, user_id, session.now);
  const errors = [...reasonProblems(it, reason), ...pointProblems(content.questions, body.points ?? {})];
  if (errors.length > 0) throw new Problem('invalid_request', { errors });
  const mark = {
    score: body.score,
    points: { ...it.points, ...body.points },
    comment: body.comment ?? null,
    rubric: body.rubric ?? null,
  };
  if (isSameMark(it, mark)) return viewOf(it, session.caller, session.now);
  const marked_at = session.now.toISOString();
  const marked: StoredSubmission = {
    ...it,
    ...mark,
    status: it.status === 'released' ? 'released' : 'marked',
    revision: it.revision + 1,
    marked_by: user_id,
    marked_at,
    claimed_by: null,
    claim_expires_at: null,
    version: it.version + 1,
  };
  store(session, marked, reason);
  session.emit(courseEvents.submissionMarked, it.id, {
    submission_id: it.id,
    lianxi_id: it.lianxi_id,
    student_id: it.student_id,
    marker_id: user_id,
    submitted_at: it.submitted_at,
    marked_at,
    revision: marked.revision,
    clazz_id,
  });
  return viewOf(marked, session.caller, session.now);
};
