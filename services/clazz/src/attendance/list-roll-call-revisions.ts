import { notFound, type rollCallCalls, RollCallRevision } from '@teaching/contracts';
import { type Handler, names, pagedList, statement } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { MARK_REVISION } from '../cascade/mark-revision.table.ts';
import { LESSON } from '../record/lesson.table.ts';

const CLAZZ_OF = statement('select clazz_id from lesson where org_id = $1 and id = $2', LESSON.some('clazz_id').shape);

const LISTED = MARK_REVISION.wire(RollCallRevision);
const named = names('mark_revision', 'student_id', 'marked_by');
const list = pagedList({
  columns: `${LISTED.columns}, ${named.columns}`,
  shape: { ...LISTED.shape, ...named.shape },
  from: 'mark_revision',
  id: { by: "(lpad(revision::text, 6, '0') || student_id)", type: 'text' },
  sorts: { marked_at: { by: 'marked_at', type: 'timestamptz' } },
  where: { lesson_id: 'lesson_id = ?' },
});

/** Every revision of every mark, oldest first. */
export const listRollCallRevisions: Handler<typeof rollCallCalls.listRollCallRevisions> = async (
  { path: { lesson_id }, query },
  session,
) => {
  const lesson = await session.one(CLAZZ_OF, session.org_id, lesson_id);
  if (lesson === undefined) throw notFound('Lesson');
  auditRead(session, 'roll_call', [lesson.clazz_id], lesson_id);
  return list(session, { ...query, sort: 'marked_at' }, { lesson_id });
};
