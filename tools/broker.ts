import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brokerConfig } from './broker/config.ts';
import { declared } from './broker/declared.ts';

/** `npm run broker`: writes the broker's users and their rights from the contracts and what services follow. */
const FILE = fileURLToPath(new URL('../deploy/nats.conf', import.meta.url));
writeFileSync(FILE, brokerConfig(declared));
console.log(`written: ${FILE}`);
