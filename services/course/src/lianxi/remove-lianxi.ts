import { courseEvents, type lianxiCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { lockLianxi } from './load-lianxi.ts';
import { requireNotHandedIn } from './update-lianxi.ts';

export const removeLianxi: Handler<typeof lianxiCalls.remove> = async ({ path }, session) => {
  const it = await lockLianxi(session, path.id);
  await requireNotHandedIn(session, it.id);
  (await session.entities()).remove(it);
  session.emit(courseEvents.lianxiDeleted, it.id, { id: it.id });
  return null;
};
