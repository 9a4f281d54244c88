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
import { newRecord, prepared, type Session } from '@teaching/kit';
import { checkCategory } from '../reference/check-references.ts';
import { lockPackage, savePackage } from './load-package.ts';
import { NEVER_PUBLISHED, requireUnpublished } from './package.rules.ts';
import { PACKAGE, toPackageRow } from './package.table.ts';

/** What a request says of the price. */
interface Said {
  price_minor?: number | null | undefined;
  currency?: string | null | undefined;
}

/** Whether the policy has to be asked: a price is given, or the currency of one is cleared, and none is said. */
const isOpen = ({ price_minor, currency }: Said): boolean =>
  currency == null && (price_minor === undefined ? currency === null : (price_minor ?? 0) > 0);

/**
 * The currency of the org's policy, if the price needs it. The class service, which keeps policies, is asked at that moment:
 * so it is the one in force, and nothing is copied that would have to be kept in step.
 */
const policyCurrency = async (session: Session, said: Said): Promise<string | null> =>
  isOpen(said) ? (await session.neighbours.call(policyCalls.currency, {})).currency : null;

/** The price with its currency: the one that is said or was before, else the policy's; 400 if there is none. */
const withCurrency = <T extends { price_minor: number; currency: string | null }>(
  priced: T,
  standard: string | null,
): T => {
  const currency = currencyOf(priced.price_minor, priced.currency, standard);
  if (currency !== undefined) return { ...priced, currency };
  throw new Problem('invalid_request', { errors: [{ path: '/body/currency', message: NO_CURRENCY }] });
};

export const createPackage = prepared(packageCalls.createPackage, {
  prepare: async ({ body }, session) => {
    const [currency] = await Promise.all([policyCurrency(session, body), checkCategory(session, body.category_id)]);
    return currency;
  },
  run: async ({ body }, session, currency) => {
    const created: Package = {
      ...newRecord(session),
      ...withCurrency(PackageFields.withDefaults(body, {}), currency),
      teacher_id: session.reach.ownerOf(body.teacher_id),
      ...NEVER_PUBLISHED,
    };
    session.insert(PACKAGE, created);
    session.emit(packageEvents.created, created.id, toPackageRow(created));
    return created;
  },
});

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
    const patched = PackageFields.applyPatch(it, fields, {});
    // What is stored without a price may have a currency from before; it stays until the price is touched.
    const isPriced = fields.price_minor !== undefined || fields.currency !== undefined;
    const changed = isPriced ? withCurrency(patched, currency) : patched;
    return savePackage(session, it, { ...it, ...changed, teacher_id: owner }, packageEvents.updated);
  },
});
