import { currencyOf, NO_CURRENCY, policyCalls, Problem } from '@teaching/contracts';
import type { Session } from '@teaching/kit';

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
export const policyCurrency = async (session: Session, said: Said): Promise<string | null> =>
  isOpen(said) ? (await session.neighbours.call(policyCalls.currency, {})).currency : null;

/** The price with its currency: the one that is said or was before, else the policy's; 400 if there is none. */
export const withCurrency = <T extends { price_minor: number; currency: string | null }>(
  priced: T,
  standard: string | null,
): T => {
  const currency = currencyOf(priced.price_minor, priced.currency, standard);
  if (currency !== undefined) return { ...priced, currency };
  throw new Problem('invalid_request', { errors: [{ path: '/body/currency', message: NO_CURRENCY }] });
};
