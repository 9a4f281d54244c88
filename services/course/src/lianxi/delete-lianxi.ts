import { courseEvents, type lianxiCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { requireNotHandedIn } from './handed-in.ts';
import { LIANXI } from './lianxi.table.ts';
import { lockLianxi } from './lock-lianxi.ts';

export const deleteLianxi: Handler<typeof lianxiCalls.deleteLianxi> = async ({ path }, session) => {
  const it = await lockLianxi(session, path.id);
  await requireNotHandedIn(session, it.id);
  session.remove(LIANXI, it.id);
  session.emit(courseEvents.lianxiDeleted, it.id, { id: it.id });
  return null;
};
