import { packageCalls, packageEvents, PackageFields } from '@teaching/contracts';
import { ownerOf, prepared, requireOwner } from '@teaching/kit';
import { checkCategory } from '../reference/check-references.ts';
import { lockPackage, savePackage } from './load-package.ts';
import { requireUnpublished } from './package.rules.ts';

export const updatePackage = prepared(packageCalls.update, {
  prepare: ({ body }, session) => checkCategory(session, body.category_id),
  run: async ({ path, body }, session) => {
    const it = await lockPackage(session, path.id);
    requireOwner(session.caller, it.teacher_id);
    requireUnpublished(it);
    const { teacher_id, ...fields } = body;
    const isHandedOn = teacher_id !== undefined && teacher_id !== it.teacher_id;
    const owner = isHandedOn ? ownerOf(session.caller, teacher_id) : it.teacher_id;
    const wanted = { ...it, ...PackageFields.patched(it, fields, {}), teacher_id: owner };
    return savePackage(session, it, wanted, packageEvents.updated);
  },
});
