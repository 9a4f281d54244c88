import { packageCalls, packageEvents, PackageFields } from '@teaching/contracts';
import { prepared } from '@teaching/kit';
import { checkCategory } from '../reference/check-references.ts';
import { lockPackage, savePackage } from './load-package.ts';
import { requireUnpublished } from './package.rules.ts';
import { policyCurrency, withCurrency } from './price-currency.ts';

export const updatePackage = prepared(packageCalls.updatePackage, {
  prepare: async ({ body }, session) => {
    const [currency] = await Promise.all([policyCurrency(session, body), checkCategory(session, body.category_id)]);
    return currency;
  },
  run: async ({ path, body }, session, currency) => {
    const it = await lockPackage(session, path.id);
    session.reach.requireOwner(it.teacher_id);
    requireUnpublished(it);
    const { teacher_id, ...fields } = body;
    const isHandedOn = teacher_id !== undefined && teacher_id !== it.teacher_id;
    const owner = isHandedOn ? session.reach.ownerOf(teacher_id) : it.teacher_id;
    const patched = PackageFields.patched(it, fields, {});
    // What is stored without a price may have a currency from before; it stays until the price is touched.
    const isPriced = fields.price_minor !== undefined || fields.currency !== undefined;
    const changed = isPriced ? withCurrency(patched, currency) : patched;
    return savePackage(session, it, { ...it, ...changed, teacher_id: owner }, packageEvents.updated);
  },
});
