/**
 * Whether tests run at proof size, as `npm run proof` requests: more and longer rounds, with new random numbers each
 * time.
 */
export const IS_PROOF = process.env['PROOF'] !== undefined;
