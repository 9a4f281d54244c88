/**
 * The currency of a price: the first candidate that is set, in the given order. `null` if the price is 0. `undefined`
 * if no candidate is set; the caller must then refuse the request, because a currency is never assumed.
 */
export const currencyOf = (
  price_minor: number,
  ...candidates: readonly (string | null | undefined)[]
): string | null | undefined => (price_minor === 0 ? null : (candidates.find((one) => one != null) ?? undefined));

/** Message of the field problem when no currency is known. */
export const NO_CURRENCY = 'is required: neither the request nor the policy contains a currency';
