import { type Package, packageCalls, packageEvents, PackageFields } from '@teaching/contracts';
import { newRecord, ownerOf, prepared } from '@teaching/kit';
import { checkCategory } from '../reference/check-references.ts';
import { NEVER_PUBLISHED } from './package.rules.ts';
import { PACKAGE, toPackageRow } from './package.table.ts';

export const createPackage = prepared(packageCalls.create, {
  prepare: ({ body }, session) => checkCategory(session, body.category_id),
  run: async ({ body }, session) => {
    const created: Package = {
      ...newRecord(session),
      ...PackageFields.filled(body, {}),
      teacher_id: ownerOf(session.caller, body.teacher_id),
      ...NEVER_PUBLISHED,
    };
    session.insert(PACKAGE, created);
    session.emit(packageEvents.created, created.id, toPackageRow(created));
    return created;
  },
});
