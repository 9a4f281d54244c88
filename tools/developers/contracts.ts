import { acceptContracts } from './contracts/accept.ts';
import { toldOf } from './contracts/compare.ts';
import { currentContracts, RECORD_FILE } from './contracts/record.ts';

/** `npm run contracts`: records the contracts as they are now, if they only grew. */
const broken = acceptContracts(RECORD_FILE, currentContracts());
if (broken.length === 0) console.log(`recorded in ${RECORD_FILE}`);
else {
  console.error(`Not recorded: ${broken.length} of the recorded contracts no longer hold.\n`);
  console.error(broken.map(toldOf).join('\n\n'));
  process.exitCode = 1;
}
