import type { Proof } from './proof.ts';
import { restores } from './restores.ts';
import { upgradeFrom010 } from './upgrade-from-0-1-0.ts';

/** All proofs that `npm run proof` knows. */
export const PROOFS: readonly Proof[] = [restores, upgradeFrom010];
