import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8');
const Lock = z.object({ packages: z.record(z.string(), z.looseObject({ version: z.string().optional() })) });
const { packages } = Lock.parse(JSON.parse(read('package-lock.json')));
/** All installed versions of packages whose name matches. */
const versionsOf = (name: RegExp): string[] => [
  ...new Set(
    Object.entries(packages).flatMap(([path, { version = '' }]) =>
      name.test(path.replace(/^.*node_modules\//, '')) ? [version] : [],
    ),
  ),
];

it('all packages of the ORM have the same version', () => {
  expect(versionsOf(/^@mikro-orm\//)).toEqual(['7.2.1']);
});
it('the NATS client has the maintained major version', () => {
  expect(versionsOf(/^@nats-io\/(jetstream|transport-node)$/)).toEqual(['3.4.0']);
});
it('Node 24 is installed by npm, and Node 20 is enough to set up', () => {
  expect(versionsOf(/^node$/)[0]).toMatch(/^24\./);
  expect(JSON.parse(read('package.json'))).toMatchObject({ engines: { node: '>=20' } });
  const plain = readdirSync(`${ROOT}tools/developers/setup`).filter(
    (file) => file.endsWith('.ts') && !file.includes('.test.'),
  );
  expect(plain).toEqual([]);
});
it('images contain Postgres 18 and nats-server 2.12.15 or newer', () => {
  const compose = read('docker-compose.yml');
  expect(compose).toMatch(/image: postgres:18\./);
  const [, minor = '', patch = ''] = /image: nats:2\.(\d+)\.(\d+)/.exec(compose) ?? [];
  expect(Number(minor) * 1_000 + Number(patch)).toBeGreaterThanOrEqual(12_015);
});
it('every Postgres configuration checks for grown tables every 5 seconds', () => {
  const overlays = ['small', 'large'].map((size) => `deploy/kubernetes/overlays/${size}/postgres.yaml`);
  const files = [
    'tools/developers/local/src/postgres-settings.ts',
    'docker-compose.yml',
    'deploy/backup/compose.yml',
    ...overlays,
  ];
  expect(files.filter((file) => !/autovacuum_naptime(=|: '?)5s/.test(read(file)))).toEqual([]);
});
