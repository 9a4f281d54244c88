import { packageCalls, packageEvents } from '@teaching/contracts';
import { newId, prepared } from '@teaching/kit';
import { checkCategory } from '../reference/check-references.ts';
import { PackageEntity, toPackage, toPackageRow } from './package.entity.ts';
import { applyPatch, DEFAULTS, ownerOf } from './package.rules.ts';

const BLANK = { ...DEFAULTS, title: '', category_id: null, validity_days: null };

export const createPackage = prepared(packageCalls.create, {
  prepare: ({ body }, session) => checkCategory(session, body.category_id),
  run: async ({ body }, session) => {
    const em = await session.entities();
    const at = session.now.toISOString();
    const created = em.create(PackageEntity, {
      ...applyPatch(BLANK, body),
      id: newId(),
      org_id: session.org_id,
      teacher_id: ownerOf(session.caller, body.teacher_id),
      version: 1,
      created_at: at,
      updated_at: at,
    });
    session.emit(packageEvents.created, created.id, toPackageRow(created));
    return toPackage(created);
  },
});
