import { join } from 'node:path';
import { readOrMake } from '@teaching/local/file.ts';
import { singlePath } from '@teaching/local/one-path.ts';
import { NATS_USERS, newSealKey, publicHalf, secret, SERVICES } from '@teaching/local/secrets.ts';

// Makes the secrets of an installation, a file each, for deploy/compose.secrets.yml and deploy/kubernetes. What is there already
// stays as it is:
//   npm run -s secret-files -- ./secrets

const USAGE = 'npm run -s secret-files -- <folder>';
const folder = singlePath(USAGE);
if (folder === undefined) {
  console.error(`which folder? ${USAGE}`);
  process.exit(2);
}
const names = [
  'signing',
  'postgres',
  'grafana',
  ...NATS_USERS.map((user) => `nats_${user}`),
  ...SERVICES.flatMap((service) => ['owner', 'app', 'worker'].map((role) => `${service}_${role}`)),
];
for (const name of names) readOrMake(join(folder, name), secret);
const seal = readOrMake(join(folder, 'caller_seal'), newSealKey);
readOrMake(join(folder, 'caller_keys'), () => publicHalf(seal));
