import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { z } from 'zod';
import { adminConfig } from '../../../libs/kit/src/ops/broker-variables.ts';
import { serviceConfig } from '../../../libs/kit/src/ops/config.ts';
import { isSecret } from '../../../libs/kit/src/ops/secret-variable.ts';
import { TLS_FILES } from '../../../libs/kit/src/db/address.ts';
import { gatewayConfig } from '../../../services/gateway/src/config.ts';
import { migrateConfig } from '../../operators/migrate/config.ts';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

const shapes: readonly z.core.$ZodShape[] = [
  serviceConfig.shape,
  gatewayConfig.shape,
  migrateConfig.shape,
  adminConfig,
];
const variables = new Map(shapes.flatMap((shape) => Object.entries(shape)));
const declared = [...variables].filter(([, field]) => isSecret(field)).map(([name]) => name);

const rows = read('docs/secrets.md')
  .split('## Exchanging them')[1]
  ?.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.replaceAll(/^\| | \|$/g, '').split(' | '));

it('docs/secrets.md has a row for every secret and no other row', () => {
  const named = rows?.flatMap(([first = '']) => [...first.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
  // Public files and addresses that are not declared as secrets.
  const others = [...Object.keys(TLS_FILES), 'JWKS_FILE', 'JWKS_URL'];
  expect(named?.toSorted()).toEqual([...declared, ...others].toSorted());
});

it('every row of docs/secrets.md names the test that exchanges it', () => {
  const tests = read('tools/proofs/test/rotation.long.test.ts');
  const missing = rows?.filter(([, , , test = '']) => !tests.includes(`it('${test}', `));
  expect(missing).toEqual([]);
});

it('every variable with the name of a secret is declared as one, and no name collides with a _FILE variable', () => {
  const secretNames = [...variables].filter(([name]) =>
    /PASSWORD|SECRET|SEED|CREDS|_KEY$|_KEYS$|DATABASE_.*URL/.test(name),
  );
  expect(secretNames.filter(([, field]) => !isSecret(field)).map(([name]) => name)).toEqual([]);
  expect(declared.filter((name) => variables.has(`${name}_FILE`))).toEqual([]);
});
