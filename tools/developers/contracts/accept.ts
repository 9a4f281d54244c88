import { writeFileSync } from 'node:fs';
import { type Broken, brokenContracts } from './compare.ts';
import { DECIDED, undecided } from './decided.ts';
import { type Contracts, recordedContracts } from './record.ts';

/** Records what was added, unless anything that is recorded would break and that was not decided: then nothing is written. */
export const acceptContracts = (file: string, current: Contracts, decisions = DECIDED): Broken[] => {
  const broken = undecided(brokenContracts(recordedContracts(file), current), decisions);
  if (broken.length === 0) writeFileSync(file, `${JSON.stringify(current, null, 1)}\n`);
  return broken;
};
