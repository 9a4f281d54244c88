/** Whether tests run in the size of a proof, which `npm run proof` asks for: more, longer, and with other random numbers each time. */
export const IS_PROOF = process.env['PROOF'] !== undefined;
