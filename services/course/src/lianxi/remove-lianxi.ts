import { courseEvents, type lianxiCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { LIANXI } from './lianxi.table.ts';
import { lockLianxi } from './load-lianxi.ts';
import { requireNotHandedIn } from './update-lianxi.ts';

export const removeLianxi: Handler<typeof lianxiCalls.remove> = async ({ path }, session) => {
  const it = await lockLianxi(session, path.id);
  await requireNotHandedIn(session, it.id);
  session.run(LIANXI.remove, session.org_id, it.id);
  session.emit(courseEvents.lianxiDeleted, it.id, { id: it.id });
  return null;
};
