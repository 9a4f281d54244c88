import type { leaveCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { type Asked, fittingLessons } from './fitting-lessons.ts';
import { readLeave } from './lock-leave.ts';
import { mayMakeUp, noCredit, requireCredit } from './make-up.rules.ts';

/** Lessons that a credit can be used for: exactly those that booking takes. */
export const listMakeUpOptions: Handler<typeof leaveCalls.listMakeUpOptions> = async ({ path, query }, session) => {
  const { leave, state } = await readLeave(session, path.id, mayMakeUp(session.reach), noCredit);
  const soon = new Date(session.now.getTime() + 1).toISOString();
  const { expires_at } = requireCredit(leave, soon);
  const asked: Asked = {
    student_id: leave.student_id,
    lesson_id: leave.lesson_id,
    course_id: state.clazz.course_id,
    from: query.from !== undefined && query.from > soon ? query.from : soon,
    until: query.to !== undefined && query.to < expires_at ? query.to : expires_at,
  };
  const list = JSON.stringify([leave.id, query.from, query.to]);
  const after = session.openCursor(query.cursor, list) ?? [];
  const rows = await fittingLessons(session, asked, after, query.limit);
  const page = rows.slice(0, query.limit);
  const last = rows.length > page.length ? page.at(-1) : undefined;
  const items = page.map(({ option }) => option);
  auditRead(session, 'lesson', [leave.clazz_id, ...items.map((row) => row.clazz_id)]);
  return { items, next_cursor: last === undefined ? null : session.sealCursor(last.key, list) };
};
