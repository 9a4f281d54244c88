import { DEPLOY, writeBroker } from './broker/files.ts';

/** `npm run broker`: writes the broker's users and their rights from the contracts, what services follow, and its readers. */
writeBroker(DEPLOY);
console.log(`written: ${DEPLOY}nats.conf, nats-tls.conf, users.conf`);
