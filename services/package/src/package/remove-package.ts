import { type packageCalls, packageEvents } from '@teaching/contracts';
import { type Handler, requireOwner } from '@teaching/kit';
import { lockPackage } from './load-package.ts';
import { requireUnpublished } from './package.rules.ts';
import { PACKAGE } from './package.table.ts';

/** Removes the package and its items; published versions stay provable. */
export const removePackage: Handler<typeof packageCalls.remove> = async ({ path }, session) => {
  const it = await lockPackage(session, path.id);
  requireOwner(session.caller, it.teacher_id);
  requireUnpublished(it);
  session.remove(PACKAGE, it.id);
  session.emit(packageEvents.deleted, it.id, { id: it.id, teacher_id: it.teacher_id });
  return null;
};
