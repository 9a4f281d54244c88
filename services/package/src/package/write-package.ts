import {
  currencyOf,
  NO_CURRENCY,
  type Package,
  packageCalls,
  packageEvents,
  PackageFields,
  policyCalls,
  Problem,
} from '@teaching/contracts';
import { newRecord, twoStepHandler, type Session } from '@teaching/kit';
import { checkCategory } from '../reference/check-references.ts';
import { lockPackage, savePackage } from './load-package.ts';
import { NEVER_PUBLISHED, requireUnpublished } from './package.rules.ts';
import { PACKAGE, toPackageRow } from './package.table.ts';

/** The price fields of a request. */
interface PriceInput {
  price_minor?: number | null | undefined;
  currency?: string | null | undefined;
}

/**
 * Whether the currency of the policy is needed: the request sets a price or clears the currency, and names no
 * currency.
 */
const needsPolicyCurrency = ({ price_minor, currency }: PriceInput): boolean =>
  currency == null && (price_minor === undefined ? currency === null : (price_minor ?? 0) > 0);

/**
 * The currency of the org's policy, if the price needs it. It is read from the class service, which stores policies,
 * so that it is current and no copy has to be updated.
 */
const policyCurrency = async (session: Session, price: PriceInput): Promise<string | null> =>
  needsPolicyCurrency(price) ? (await session.peers.call(policyCalls.currency, {})).currency : null;

/** The price with its currency: that of the request or the record, else that of the policy. 400 if there is none. */
const withCurrency = <T extends { price_minor: number; currency: string | null }>(
  priced: T,
  standard: string | null,
): T => {
  const currency = currencyOf(priced.price_minor, priced.currency, standard);
  if (currency !== undefined) return { ...priced, currency };
  throw new Problem('invalid_request', { errors: [{ path: '/body/currency', message: NO_CURRENCY }] });
};

export const createPackage = twoStepHandler(packageCalls.createPackage, {
  prepare: async ({ body }, session) => {
    const [currency] = await Promise.all([policyCurrency(session, body), checkCategory(session, body.category_id)]);
    return currency;
  },
  run: async ({ body }, session, currency) => {
    const created: Package = {
      ...newRecord(session),
      ...withCurrency(PackageFields.withDefaults(body, {}), currency),
      teacher_id: session.access.resolveOwner(body.teacher_id),
      ...NEVER_PUBLISHED,
    };
    session.insert(PACKAGE, created);
    session.emit(packageEvents.created, created.id, toPackageRow(created));
    return created;
  },
});

export const updatePackage = twoStepHandler(packageCalls.updatePackage, {
  prepare: async ({ body }, session) => {
    const [currency] = await Promise.all([policyCurrency(session, body), checkCategory(session, body.category_id)]);
    return currency;
  },
  run: async ({ path, body }, session, currency) => {
    const it = await lockPackage(session, path.id);
    session.access.requireOwner(it.teacher_id);
    requireUnpublished(it);
    const { teacher_id, ...fields } = body;
    const isOwnerChanged = teacher_id !== undefined && teacher_id !== it.teacher_id;
    const owner = isOwnerChanged ? session.access.resolveOwner(teacher_id) : it.teacher_id;
    const applyPatch = PackageFields.applyPatch(it, fields, {});
    // A row without a price may have a currency from an earlier version. It stays until the price is changed.
    const isPriceChanged = fields.price_minor !== undefined || fields.currency !== undefined;
    const changed = isPriceChanged ? withCurrency(applyPatch, currency) : applyPatch;
    return savePackage(session, it, { ...it, ...changed, teacher_id: owner }, packageEvents.updated);
  },
});
