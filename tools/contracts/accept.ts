import { writeFileSync } from 'node:fs';
import { type Broken, brokenContracts } from './compare.ts';
import { type Contracts, recordedContracts } from './record.ts';

/** Records what was added, unless anything that is recorded would break: then nothing is written. */
export const acceptContracts = (file: string, current: Contracts): Broken[] => {
  const broken = brokenContracts(recordedContracts(file), current);
  if (broken.length === 0) writeFileSync(file, `${JSON.stringify(current, null, 1)}\n`);
  return broken;
};
