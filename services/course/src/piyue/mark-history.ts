import { MarkRevision, notFound, type piyueCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { MARK_REVISION } from '../submission/mark-revision.table.ts';
import { SUBMISSION } from '../submission/submission.table.ts';

const SHOWN = MARK_REVISION.wire(MarkRevision);
const EXISTS = statement('select id from submission where org_id = $1 and id = $2', SUBMISSION.some('id').shape);
const HISTORY = statement(
  `select ${SHOWN.columns} from mark_revision where org_id = $1 and submission_id = $2 order by revision`,
  SHOWN.shape,
);

export const markHistory: Handler<typeof piyueCalls.history> = async ({ path }, session) => {
  const [found, items] = await Promise.all([
    session.one(EXISTS, session.org_id, path.submission_id),
    session.query(HISTORY, session.org_id, path.submission_id),
  ]);
  if (found === undefined) throw notFound('Submission');
  return { items, next_cursor: null };
};
