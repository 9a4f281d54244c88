import { isDeepStrictEqual } from 'node:util';
import { courseEvents, lianxiCalls } from '@teaching/contracts';
import { prepared, rowsOf, type Session, statement, touched } from '@teaching/kit';
import { requireUnused } from '../shared/in-use.rules.ts';
import { assignedStudents, assignStudents } from './assignment.ts';
import { contentOf, summaryOf } from './content.rules.ts';
import { LIANXI } from './lianxi.table.ts';
import { lockLianxi, type StoredLianxi } from './load-lianxi.ts';
import { checkClazz, courseOfSection } from './references.ts';

/** The content is large, and most changes leave it as it is. */
const UPDATE = LIANXI.updateWithout('content');
const HANDED_IN = statement<{ count: number }>(
  'select count(*) as count from submission where org_id = $1 and lianxi_id = $2',
);

/** Nobody is marked by other questions than they answered. */
export const requireNotHandedIn = async (session: Session, lianxi_id: string): Promise<void> => {
  const found = await session.one(HANDED_IN, session.org_id, lianxi_id);
  requireUnused([{ what: 'submission', count: found?.count ?? 0 }]);
};

const setContent = async (session: Session, it: StoredLianxi, content: StoredLianxi['content']): Promise<void> => {
  if (isDeepStrictEqual(content, it.content)) return;
  await requireNotHandedIn(session, it.id);
  Object.assign(it, { content, ...summaryOf(content) });
};

/** Absent keeps, `null` clears; assigning to a class ends the assignment to students, and the other way round. */
export const updateLianxi = prepared(lianxiCalls.update, {
  prepare: ({ body }, session) => checkClazz(session, body.clazz_id),
  run: async ({ path, body }, session) => {
    const it = await lockLianxi(session, path.id);
    if (body.content !== undefined) await setContent(session, it, contentOf(body.content));
    if (body.course_section_id !== undefined && body.course_section_id !== it.course_section_id) {
      it.course_id = await courseOfSection(session, body.course_section_id);
      it.course_section_id = body.course_section_id;
    }
    if (body.title !== undefined) it.title = body.title;
    if (body.due_at !== undefined) it.due_at = body.due_at;
    if (body.clazz_id !== undefined) it.clazz_id = body.clazz_id;
    if (body.student_ids != null) it.clazz_id = null;
    const changed = touched(it, session);
    session.run(body.content === undefined ? UPDATE : LIANXI.update, rowsOf(changed));
    const { content, ...row } = changed;
    if (body.student_ids !== undefined || body.clazz_id != null) assignStudents(session, it.id, body.student_ids ?? []);
    session.emit(courseEvents.lianxiUpdated, it.id, row);
    return { ...row, content, student_ids: await assignedStudents(session, it.id) };
  },
});
