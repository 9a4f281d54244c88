/**
 * The currency of a price: the first that is said, by whoever comes first. `null` without a price, `undefined` if nobody
 * says one: then it has to be asked for, never assumed.
 */
export const currencyOf = (
  price_minor: number,
  ...said: readonly (string | null | undefined)[]
): string | null | undefined => (price_minor === 0 ? null : (said.find((one) => one != null) ?? undefined));

/** What is wrong where nobody says one. */
export const NO_CURRENCY = 'is needed: the price has none, and the policy names none';
