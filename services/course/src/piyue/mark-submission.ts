import { courseEvents, MarkFields, MarkRevision, notFound, type piyueCalls, Problem } from '@teaching/contracts';
import { type Handler, nameColumns, type Session, statement } from '@teaching/kit';
import { LIANXI } from '../lianxi/lianxi-rows.ts';
import { isMachineScored } from '../lianxi/scoring.rules.ts';
import { type NamedStoredSubmission, namedSubmissionView, type StoredSubmission } from '../lianxi/submission.rules.ts';
import { MARK_REVISION, saveMarkRevision, SUBMISSION } from '../lianxi/submission-rows.ts';
import { lockSubmission } from './claim-submission.ts';
import { isSameMark, markPoints, reasonProblems, requireMayMark } from './marking.rules.ts';

const ANSWERED = LIANXI.pick('content', 'total_points', 'clazz_id');
const READ_LIANXI = statement(`select ${ANSWERED.columns} from lianxi where org_id = $1 and id = $2`, ANSWERED.shape);
/** The answers are large and never change, so marking does not write them. */
const MARK = SUBMISSION.updateWithout('lianxi_id', 'teacher_id', 'student_id', 'attempt', 'answers', 'submitted_at');

const REASON = MARK_REVISION.pick('reason');
const READ_REASON = statement(
  `select ${REASON.columns} from mark_revision where org_id = $1 and submission_id = $2 and revision = $3`,
  REASON.shape,
);

/** Whether the current mark has this reason, or the request has no reason. */
const isSameReason = async (session: Session, it: StoredSubmission, reason: string | null): Promise<boolean> =>
  reason === null || (await session.queryOne(READ_REASON, session.org_id, it.id, it.revision))?.reason === reason;

const save = (session: Session, marked: StoredSubmission, reason: string | null): void => {
  session.update(MARK, { org_id: session.org_id, ...marked });
  saveMarkRevision(session, marked, reason);
};

/**
 * Stores a mark as a new revision. Earlier revisions stay. Questions without points in the request keep their points.
 */
export const markSubmission: Handler<typeof piyueCalls.markSubmission> = async ({ path, body }, session) => {
  const { user_id } = session.caller;
  const reason = body.reason ?? null;
  const { caller_name, ...it } = await lockSubmission(session, path.submission_id);
  const lianxi = await session.queryOne(READ_LIANXI, session.org_id, it.lianxi_id);
  if (lianxi === undefined) throw notFound('Submission');
  requireMayMark(it, user_id, session.now);
  const { questions } = lianxi.content;
  const { points, errors: pointErrors } = markPoints(body, it.points, { questions, total_points: lianxi.total_points });
  const errors = [...reasonProblems(it, reason), ...pointErrors];
  if (errors.length > 0) throw new Problem('invalid_request', { errors });
  const mark = { ...MarkFields.withDefaults(body, {}), points };
  if (isSameMark(it, mark, user_id) && (await isSameReason(session, it, reason))) {
    return namedSubmissionView(it, session.caller, session.now);
  }
  const marked_at = session.now.toISOString();
  const marked: NamedStoredSubmission = {
    ...it,
    ...mark,
    status: it.status === 'released' ? 'released' : 'marked',
    revision: it.revision + 1,
    marked_by: user_id,
    marked_by_name: caller_name,
    marked_at,
    claimed_by: null,
    claim_expires_at: null,
    version: it.version + 1,
  };
  save(session, marked, reason);
  const event = isMachineScored(questions) ? courseEvents.machineMarkChanged : courseEvents.submissionMarked;
  session.emit(event, it.id, {
    submission_id: it.id,
    lianxi_id: it.lianxi_id,
    student_id: it.student_id,
    marker_id: user_id,
    submitted_at: it.submitted_at,
    marked_at,
    revision: marked.revision,
    clazz_id: lianxi.clazz_id,
  });
  return namedSubmissionView(marked, session.caller, session.now);
};

const markerName = nameColumns('m', 'marked_by');
const REVISION = MARK_REVISION.contractColumns(MarkRevision);
const READ_SUBMISSION = statement(
  'select id from submission where org_id = $1 and id = $2',
  SUBMISSION.pick('id').shape,
);
const READ_REVISIONS = statement(
  `select ${REVISION.withAlias('m')}, ${markerName.columns} from mark_revision m
   where m.org_id = $1 and m.submission_id = $2 order by m.revision`,
  { ...REVISION.shape, ...markerName.shape },
);

export const listSubmissionMarks: Handler<typeof piyueCalls.listSubmissionMarks> = async ({ path }, session) => {
  const [found, items] = await Promise.all([
    session.queryOne(READ_SUBMISSION, session.org_id, path.submission_id),
    session.query(READ_REVISIONS, session.org_id, path.submission_id),
  ]);
  if (found === undefined) throw notFound('Submission');
  return { items, next_cursor: null };
};
