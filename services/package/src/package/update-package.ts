import { packageCalls, packageEvents } from '@teaching/contracts';
import { prepared } from '@teaching/kit';
import { checkCategory } from '../reference/check-references.ts';
import { lockPackage, touch } from './load-package.ts';
import { toPackage, toPackageRow } from './package.entity.ts';
import { applyPatch, ownerOf, requireOwner, requireUnpublished } from './package.rules.ts';

export const updatePackage = prepared(packageCalls.update, {
  prepare: ({ body }, session) => checkCategory(session, body.category_id),
  run: async ({ path, body }, session) => {
    const it = await lockPackage(session, path.id);
    requireOwner(session.caller, it);
    requireUnpublished(it);
    const { teacher_id, ...fields } = body;
    Object.assign(it, applyPatch(toPackage(it), fields));
    if (teacher_id !== undefined && teacher_id !== it.teacher_id) it.teacher_id = ownerOf(session.caller, teacher_id);
    touch(it, session);
    session.emit(packageEvents.updated, it.id, toPackageRow(it));
    return toPackage(it);
  },
});
