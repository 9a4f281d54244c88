import { type Mark, notFound, type rollCallCalls } from '@teaching/contracts';
import { type Handler, pagedList, statement } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { isListed } from '../cascade/cascade.rules.ts';
import { peekLessons } from '../cascade/load-lessons.ts';
import { toRow } from './roll-call.rules.ts';

const CLAZZ_OF = statement<{ clazz_id: string }>('select clazz_id from lesson where org_id = $1 and id = $2');

export const getRollCall: Handler<typeof rollCallCalls.get> = async ({ path }, session) => {
  const [state] = (await peekLessons(session, [path.lesson_id])).lessons;
  if (state === undefined) throw notFound('Lesson');
  const { lesson, seats } = state;
  auditRead(session, 'roll_call', [lesson.clazz_id], lesson.id);
  return { lesson, marks: seats.filter(isListed).map(toRow) };
};

interface HistoryRow {
  student_id: string;
  mark: Mark | null;
  revision: number;
  marked_by: string;
  marked_at: string;
  reason: string | null;
  charged_hours: string;
  note: string | null;
  policy_version: number;
}

const history = pagedList<HistoryRow, 'marked_at'>({
  columns: 'student_id, mark, revision, marked_by, marked_at, reason, charged_hours, note, policy_version',
  from: 'mark_revision',
  id: { by: "(lpad(revision::text, 6, '0') || student_id)", type: 'text' },
  sorts: { marked_at: { by: 'marked_at', type: 'timestamptz' } },
});

export const rollCallHistory: Handler<typeof rollCallCalls.history> = async ({ path, query }, session) => {
  const lesson = await session.one(CLAZZ_OF, session.org_id, path.lesson_id);
  if (lesson === undefined) throw notFound('Lesson');
  auditRead(session, 'roll_call', [lesson.clazz_id], path.lesson_id);
  return history(session, { ...query, sort: 'marked_at' }, [
    ['org_id = ?', session.org_id],
    ['lesson_id = ?', path.lesson_id],
  ]);
};
