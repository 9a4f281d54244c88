import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDataDir } from '@teaching/local/postgres-folder.ts';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { migrate } from '../../../../libs/kit/src/db/migrate.ts';
import { app as packageApp } from '../../../../services/package/src/app.ts';
import { ensureDatabase, provision } from '../../migrate/provision.ts';
import { createAuthority } from '../../../proofs/system/certificates.ts';
import { writeAtomic, type SecurePostgres, startSecurePostgres } from '../../../proofs/system/secure-servers.ts';
import { examine } from '../examine-installation.ts';
import { expectOnlyFinding } from './expect-finding.ts';
import type { Mistake } from './mistakes.ts';
import { installation, type Planted } from './plant-faults.ts';
import { startHealthySystem, type HealthySystem } from './healthy-system.ts';

// Roles and certificates belong to a whole server: this Postgres with TLS serves the package service only.

const { adminUrl: serverUrl, secrets } = inject('stack');
let folder: string;
let well: HealthySystem;
let postgres: SecurePostgres;
let right: string;
let wrong: string;

type Changes = Partial<Record<'app' | 'worker', { host?: string; root?: string }>>;
const urlOf = (role: string, { host = 'localhost', root = right } = {}): string =>
  `postgres://${role}@${host}:${postgres.port}/teaching?sslmode=verify-full&sslrootcert=${encodeURIComponent(root)}`;
const here = ({ app, worker }: Changes = {}) =>
  installation(well, {
    package: {
      DATABASE_URL: urlOf('package_app', app),
      DATABASE_PASSWORD: secrets.database.package.app,
      WORKER_DATABASE_URL: urlOf('package_worker', worker),
      WORKER_DATABASE_PASSWORD: secrets.database.package.worker,
      MIGRATION_DATABASE_URL: '',
    },
  });
const planted = async (mistake: string, undo: string): Promise<Planted> => {
  await postgres.sql(mistake);
  return { installation: here(), undo: () => postgres.sql(undo) };
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'teaching-doctor-postgres-'));
  chmodSync(folder, 0o711);
  const [authority, other] = await Promise.all([createAuthority('ours'), createAuthority('not ours')]);
  postgres = await startSecurePostgres(folder, await authority.issue({ names: ['localhost'] }));
  [right, wrong] = [
    writeAtomic(join(folder, 'ca.crt'), authority.cert),
    writeAtomic(join(folder, 'other.crt'), other.cert),
  ];
  const adminUrl = await ensureDatabase(postgres.adminUrl(), 'teaching');
  await provision({ adminUrl, service: 'package', passwords: secrets.database.package });
  const owner = new URL(adminUrl);
  [owner.username, owner.password] = ['package_owner', secrets.database.package.owner];
  await migrate(owner.href, 'package', packageApp.migrations);
  well = await startHealthySystem(serverUrl, secrets);
});
afterAll(async () => {
  await well?.stop();
  await postgres?.stop();
  removeDataDir(folder);
});

const MISTAKES: readonly Mistake<void>[] = [
  {
    what: 'the certificate of Postgres is of another authority',
    plant: () => ({ installation: here({ app: { root: wrong } }) }),
    check: 'postgres-tls',
    about: ['package'],
    wrong: /^no TLS with Postgres at localhost:\d+: .*(self-signed|unable to (get|verify))/,
    mend: /^correct sslmode and sslrootcert in DATABASE_URL, or the certificate of the server/,
  },
  {
    what: 'the certificate of Postgres is of another name',
    plant: () => ({ installation: here({ worker: { host: '127.0.0.1' } }) }),
    check: 'postgres-tls',
    about: ['package'],
    wrong: /^no TLS with Postgres at 127\.0\.0\.1:\d+: .*altnames/,
    mend: /^correct sslmode and sslrootcert in WORKER_DATABASE_URL, or the certificate of the server/,
  },
  {
    what: 'a role bypasses row-level security',
    plant: () => planted('alter role package_worker bypassrls', 'alter role package_worker nobypassrls'),
    check: 'role',
    about: ['package'],
    wrong: /^package_worker bypasses row-level security/,
    mend: /^run migrate as a superuser, which takes that from it$/,
  },
  {
    what: 'requests are served as a superuser',
    plant: () => planted('alter role package_app superuser', 'alter role package_app nosuperuser'),
    check: 'role',
    about: ['package'],
    wrong: /^package_app bypasses row-level security/,
    mend: /^run migrate as a superuser, which takes that from it$/,
  },
  {
    what: 'the worker role is a member of the owner of the tables',
    plant: () => planted('grant package_owner to package_worker', 'revoke package_owner from package_worker'),
    check: 'role',
    about: ['package'],
    wrong: /^package_worker owns package\.\w+, or is a member of its owner/,
    mend: /revoke package_owner from package_worker$/,
  },
];

it('finds nothing in a healthy installation', async () => {
  expect(await examine(here())).toEqual([]);
});

it.each(MISTAKES)('reports only this fault, with its remedy: $what', async (mistake) => {
  await expectOnlyFinding(mistake, await mistake.plant(), secrets);
});
