import { writeFileSync } from 'node:fs';
import { type BrokenContract, brokenContracts } from './compare-contracts.ts';
import { DECIDED_BREAKS, withoutDecided } from './decided-breaks.ts';
import { type Contracts, recordedContracts } from './record.ts';

/** Records what was added, unless anything that is recorded would break and that was not decided: then nothing is written. */
export const acceptContracts = (file: string, current: Contracts, decisions = DECIDED_BREAKS): BrokenContract[] => {
  const broken = withoutDecided(brokenContracts(recordedContracts(file), current), decisions);
  if (broken.length === 0) writeFileSync(file, `${JSON.stringify(current, null, 1)}\n`);
  return broken;
};
