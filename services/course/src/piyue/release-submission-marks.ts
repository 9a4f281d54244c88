import { courseEvents, type FieldProblem, type piyueCalls, Problem, unknownIds } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import { type NamedStoredSubmission, namedSubmissionView, type StoredSubmission } from '../lianxi/submission.rules.ts';
import { lockSubmissions } from './claim-submission.ts';

const RELEASE = statement(
  `update submission set status = 'released', released_at = $3, version = version + 1
   where org_id = $1 and id = any($2::uuid[])`,
);

/** Throws 404 if a submission does not exist, and 409 `not_marked` if one has no mark. Then nothing is released. */
const check = (ids: readonly string[], found: ReadonlyMap<string, StoredSubmission>): void => {
  const unknown = ids.flatMap((id, index): FieldProblem[] =>
    found.has(id) ? [] : [{ path: `/body/submission_ids/${index}`, message: 'does not exist' }],
  );
  if (unknown.length > 0) throw unknownIds(unknown);
  const submission_ids = ids.filter((id) => found.get(id)?.status === 'submitted');
  if (submission_ids.length > 0) throw new Problem('not_marked', { members: { submission_ids } });
};

const release = (session: Session, it: NamedStoredSubmission, at: string): NamedStoredSubmission => {
  session.emit(courseEvents.submissionReleased, it.id, {
    submission_id: it.id,
    lianxi_id: it.lianxi_id,
    student_id: it.student_id,
    revision: it.revision,
    released_by: session.caller.user_id,
    released_at: at,
  });
  return { ...it, status: 'released', released_at: at, version: it.version + 1 };
};

/** Releases marks to their students, all or none. A submission that is already released does not change. */
export const releaseSubmissionMarks: Handler<typeof piyueCalls.releaseSubmissionMarks> = async ({ body }, session) => {
  const ids = [...new Set(body.submission_ids)];
  const rows = (await lockSubmissions(session, ids)).map(({ caller_name: _unused, ...row }) => row);
  const found = new Map(rows.map((row): [string, NamedStoredSubmission] => [row.id, row]));
  check(body.submission_ids, found);
  const at = session.now.toISOString();
  for (const row of rows) if (row.status !== 'released') found.set(row.id, release(session, row, at));
  const changed = rows.flatMap((row) => (row.status === 'released' ? [] : [row.id]));
  if (changed.length > 0) session.run(RELEASE, session.org_id, changed, at);
  return { items: [...found.values()].map((row) => namedSubmissionView(row, session.caller, session.now)) };
};
