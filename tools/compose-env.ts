import { createHmac } from 'node:crypto';
import { dataDirFrom, makeDataDir } from '@teaching/local/data-dir.ts';
import { writeWhole } from '@teaching/local/file.ts';
import { AUDIENCE, ISSUER, keysIn } from '@teaching/local/keys.ts';
import { singlePath } from '@teaching/local/one-path.ts';
import { natsPasswords, secretsIn, SERVICES } from '@teaching/local/secrets.ts';

// Writes an environment for docker-compose.yml, with passwords and a token issuer of its own for trials, to a file that
// only its owner may read. Without a file it prints it:
//   npm run -s compose-env -- deploy/compose.env
// `npm run -s token` with the same DATA_DIR issues tokens for it.

const file = singlePath('npm run -s compose-env -- [file]');
const dataDir = dataDirFrom(process.env);
makeDataDir(dataDir);
const secrets = secretsIn(dataDir);
const keys = keysIn(dataDir);

const rolePasswords = SERVICES.flatMap((service) =>
  Object.entries(secrets.database[service]).map(([role, password]) => [`${service}_${role}_PASSWORD`, password]),
).map(([name = '', password = '']) => [name.toUpperCase(), password]);

/** A password that the local runner does not use. It is the same in every run. */
const own = (what: string): string => `s${createHmac('sha256', secrets.signing).update(what).digest('hex')}`;

const variables = [
  ['POSTGRES_PASSWORD', own('postgres')],
  ...rolePasswords,
  ...Object.entries(natsPasswords(secrets)),
  ['GRAFANA_PASSWORD', own('grafana')],
  ['BACKUP_PASSWORD', own('backup')],
  ['SIGNING_SECRET', secrets.signing],
  ['CALLER_SEAL_KEY', secrets.caller.seal],
  ['CALLER_KEYS', secrets.caller.open],
  ['JWT_ISSUER', ISSUER],
  ['JWT_AUDIENCE', AUDIENCE],
  ['JWKS_MOUNT', keys.jwksFile],
  ['JWKS_FILE', '/run/jwks.json'],
];
const text = variables.map(([name, value]) => `${name}=${value}`).join('\n');
if (file === undefined) console.log(text);
else writeWhole(file, `${text}\n`);
