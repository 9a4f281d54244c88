import { courseEvents, type jihuaCalls } from '@teaching/contracts';
import { type Handler, requireUnused } from '@teaching/kit';
import { checkIns } from './check-ins.ts';
import { JIHUA } from './jihua.table.ts';
import { lockJihua } from './lock-jihua.ts';

export const deleteJihua: Handler<typeof jihuaCalls.deleteJihua> = async ({ path }, session) => {
  const it = await lockJihua(session, path.id);
  const { count } = await checkIns(session, it.id);
  requireUnused([{ what: 'daka', count }]);
  session.remove(JIHUA, it.id);
  session.emit(courseEvents.jihuaDeleted, it.id, { id: it.id });
  return null;
};
