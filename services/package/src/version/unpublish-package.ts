import { type packageCalls, packageEvents, Problem } from '@teaching/contracts';
import { type Handler } from '@teaching/kit';
import { lockPackage, savePackage } from '../package/load-package.ts';

/** published → unpublished (spec part 3): the draft is open again; snapshot and versions stay. */
export const unpublishPackage: Handler<typeof packageCalls.unpublishPackage> = async ({ path }, session) => {
  const it = await lockPackage(session, path.id);
  session.reach.requireOwner(it.teacher_id);
  if (it.published_at === null) throw new Problem('package_not_published');
  return savePackage(session, it, { ...it, published_at: null }, packageEvents.unpublished);
};
