import { type Package, packageCalls, packageEvents } from '@teaching/contracts';
import { newId, prepared, rowsOf } from '@teaching/kit';
import { checkCategory } from '../reference/check-references.ts';
import { PACKAGE, toPackageRow } from './package.table.ts';
import { applyPatch, DEFAULTS, ownerOf } from './package.rules.ts';

const BLANK = { ...DEFAULTS, title: '', category_id: null, validity_days: null };

export const createPackage = prepared(packageCalls.create, {
  prepare: ({ body }, session) => checkCategory(session, body.category_id),
  run: async ({ body }, session) => {
    const at = session.now.toISOString();
    const created: Package = {
      ...applyPatch(BLANK, body),
      id: newId(),
      org_id: session.org_id,
      teacher_id: ownerOf(session.caller, body.teacher_id),
      published_at: null,
      published_snapshot: null,
      published_version: null,
      version: 1,
      created_at: at,
      updated_at: at,
    };
    session.run(PACKAGE.insert, rowsOf(created));
    session.emit(packageEvents.created, created.id, toPackageRow(created));
    return created;
  },
});
