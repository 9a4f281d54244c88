import { acceptContracts } from './contracts/accept-contracts.ts';
import { textOfBreak } from './contracts/compare-contracts.ts';
import { currentContracts, RECORD_FILE, recordedContracts } from './contracts/record.ts';

/** `npm run contracts`: records the contracts as they are now, if they only grew. */
const before = recordedContracts(RECORD_FILE);
const current = currentContracts();
const broken = acceptContracts(RECORD_FILE, current);
if (broken.length === 0) {
  const added = (['calls', 'events'] as const).flatMap((kind) =>
    Object.keys(current[kind]).filter((id) => !(id in before[kind])),
  );
  console.log(`recorded in ${RECORD_FILE}${added.length === 0 ? '' : `; new: ${added.join(', ')}`}`);
} else {
  console.error(`Not recorded: ${broken.length} of the recorded contracts no longer hold.\n`);
  console.error(broken.map(textOfBreak).join('\n\n'));
  console.error('\nWhat was recorded but never committed: `git checkout libs/contracts/contracts.json`, then again.');
  process.exitCode = 1;
}
