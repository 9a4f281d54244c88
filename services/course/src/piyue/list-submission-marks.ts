import { MarkRevision, notFound, type piyueCalls } from '@teaching/contracts';
import { type Handler, names, statement } from '@teaching/kit';
import { MARK_REVISION } from '../submission/mark-revision.table.ts';
import { SUBMISSION } from '../submission/submission.table.ts';

const named = names('m', 'marked_by');
const SHOWN = MARK_REVISION.wire(MarkRevision);
const EXISTS = statement('select id from submission where org_id = $1 and id = $2', SUBMISSION.some('id').shape);
const HISTORY = statement(
  `select ${SHOWN.of('m')}, ${named.columns} from mark_revision m
   where m.org_id = $1 and m.submission_id = $2 order by m.revision`,
  { ...SHOWN.shape, ...named.shape },
);

export const listSubmissionMarks: Handler<typeof piyueCalls.listSubmissionMarks> = async ({ path }, session) => {
  const [found, items] = await Promise.all([
    session.one(EXISTS, session.org_id, path.submission_id),
    session.query(HISTORY, session.org_id, path.submission_id),
  ]);
  if (found === undefined) throw notFound('Submission');
  return { items, next_cursor: null };
};
