import { writeReleaseBroker } from '../operators/broker/files.ts';
import { BROKER_FOLDER } from '../operators/broker/folders.ts';

/** `npm run broker`: writes the broker's configuration of the release from the contracts. */
writeReleaseBroker();
console.log(`written: nats.conf, nats-tls.conf, users.conf in ${BROKER_FOLDER}`);
