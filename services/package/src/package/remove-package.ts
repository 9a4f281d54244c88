import { type packageCalls, packageEvents } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { lockPackage } from './load-package.ts';
import { requireOwner, requireUnpublished } from './package.rules.ts';

/** Removes the package and its items; published versions stay provable. */
export const removePackage: Handler<typeof packageCalls.remove> = async ({ path }, session) => {
  const it = await lockPackage(session, path.id);
  requireOwner(session.caller, it);
  requireUnpublished(it);
  (await session.entities()).remove(it);
  session.emit(packageEvents.deleted, it.id, { id: it.id, teacher_id: it.teacher_id });
  return null;
};
