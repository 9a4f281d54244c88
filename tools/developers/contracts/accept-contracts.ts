import { writeFileSync } from 'node:fs';
import { type BrokenContract, brokenContracts } from './compare-contracts.ts';
import { DECIDED_BREAKS, withoutDecided } from './decided-breaks.ts';
import { type Contracts, recordedContracts } from './record.ts';

/** Records additions. Writes nothing if a recorded contract would break without a decision. */
export const acceptContracts = (file: string, current: Contracts, decisions = DECIDED_BREAKS): BrokenContract[] => {
  const broken = withoutDecided(brokenContracts(recordedContracts(file), current), decisions);
  if (broken.length === 0) writeFileSync(file, `${JSON.stringify(current, null, 1)}\n`);
  return broken;
};
