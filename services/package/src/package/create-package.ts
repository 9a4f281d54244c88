import { type Package, packageCalls, packageEvents, PackageFields } from '@teaching/contracts';
import { newRecord, prepared } from '@teaching/kit';
import { checkCategory } from '../reference/check-references.ts';
import { NEVER_PUBLISHED } from './package.rules.ts';
import { PACKAGE, toPackageRow } from './package.table.ts';
import { policyCurrency, withCurrency } from './price-currency.ts';

export const createPackage = prepared(packageCalls.createPackage, {
  prepare: async ({ body }, session) => {
    const [currency] = await Promise.all([policyCurrency(session, body), checkCategory(session, body.category_id)]);
    return currency;
  },
  run: async ({ body }, session, currency) => {
    const created: Package = {
      ...newRecord(session),
      ...withCurrency(PackageFields.filled(body, {}), currency),
      teacher_id: session.reach.ownerOf(body.teacher_id),
      ...NEVER_PUBLISHED,
    };
    session.insert(PACKAGE, created);
    session.emit(packageEvents.created, created.id, toPackageRow(created));
    return created;
  },
});
