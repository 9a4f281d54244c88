import { writeFileSync } from 'node:fs';
import { currentContracts, RECORD_FILE } from './contracts/record.ts';

/** `npm run contracts`: records the contracts as they are now, once a change was found to be additive. */
writeFileSync(RECORD_FILE, `${JSON.stringify(currentContracts(), null, 1)}\n`);
console.log(`recorded in ${RECORD_FILE}`);
