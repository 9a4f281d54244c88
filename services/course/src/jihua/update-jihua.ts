import { courseEvents, type jihuaCalls } from '@teaching/contracts';
import { type Handler, type Session, statement, touched } from '@teaching/kit';
import { requireUnused } from '../shared/in-use.rules.ts';
import { lockJihua, saveJihua, toRow } from './jihua-row.ts';
import { readStudents } from './jihua-students.ts';
import { applyPatch, changesPast, daysOf } from './jihua.rules.ts';

const CHECKED_IN = statement<{ count: number; last: string | null }>(
  'select count(*) as count, max(local_date) as last from daka where org_id = $1 and jihua_id = $2',
);

const checkIns = async (session: Session, jihua_id: string) =>
  (await session.one(CHECKED_IN, session.org_id, jihua_id)) ?? { count: 0, last: null };

export const updateJihua: Handler<typeof jihuaCalls.update> = async ({ path, body }, session) => {
  const it = await lockJihua(session, path.id);
  const plan = applyPatch(it, body);
  const planned_dates = daysOf(plan);
  if (changesPast(it, plan, '')) {
    const { count } = await checkIns(session, it.id);
    requireUnused([{ what: 'daka', count }]);
  } else if (plan.ends_on < it.ends_on) {
    const { count, last } = await checkIns(session, it.id);
    if (changesPast(it, plan, last ?? '')) requireUnused([{ what: 'daka', count }]);
  }
  const answer = touched({ ...it, ...plan, planned_dates }, session);
  saveJihua(session, answer);
  session.emit(courseEvents.jihuaUpdated, it.id, toRow(answer));
  return { ...answer, student_ids: await readStudents(session, it.id) };
};

const DELETE = statement('delete from jihua where org_id = $1 and id = $2');

export const removeJihua: Handler<typeof jihuaCalls.remove> = async ({ path }, session) => {
  const it = await lockJihua(session, path.id);
  const { count } = await checkIns(session, it.id);
  requireUnused([{ what: 'daka', count }]);
  session.run(DELETE, session.org_id, it.id);
  session.emit(courseEvents.jihuaDeleted, it.id, { id: it.id });
  return null;
};
