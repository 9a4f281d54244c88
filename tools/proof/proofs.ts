import type { Proof } from './proof.ts';
import { restores } from './restores.ts';

/** All proofs that `npm run proof` knows. */
export const PROOFS: readonly Proof[] = [restores];
