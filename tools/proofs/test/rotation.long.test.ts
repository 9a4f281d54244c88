import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { issueToken, type Keys, keysIn } from '@teaching/local/keys.ts';
import type { Env } from '@teaching/local/service-env.ts';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { connectOnce, fixedValue } from '../../../libs/kit/src/index.ts';
import { readLogins, writeLogins } from '../../operators/broker/files.ts';
import { withUserLogin } from '../../operators/broker/user-login.ts';
import { withLogin } from '../../operators/migrate/provision.ts';
import { newKey } from '../../operators/broker/reader-account.ts';
import { createBrowser } from '../../../services/gateway/test/browser.ts';
import { CLIENT_ID, startProvider, type TestProvider } from '@teaching/local/provider-for-tests.ts';
import { createAuthority } from '../system/certificates.ts';
import { type Load, startLoad } from './rotation/rotation-load.ts';
import { HOSTS, type SecureSystem, startSecureSystem } from '../system/secure-system.ts';
import { POLL_OPTIONS } from './poll-options.ts';

// Each test exchanges a secret as docs/secrets.md describes, in a running system under requests. No request may fail.

/** A file of a secret is read again once a second. */
const RELOAD_MS = 1_500;
/** Number of requests between two steps. */
const REQUESTS = 40;
const ORG = '01900000-0000-7000-8000-000000000001';

const folder = mkdtempSync(join(tmpdir(), 'teaching-issuer-'));
const issuerOf = (name: string): Keys => keysIn(join(folder, name));
const tokenBy = (keys: Keys): string =>
  issueToken(keys, { org: ORG, sub: 'ada', roles: ['TEACHER'], ttlSeconds: 3_600 });
const jwksOf = (...all: readonly Keys[]): string => {
  const sets = all.map(({ jwksFile }) => JSON.parse(readFileSync(jwksFile, 'utf8')) as { keys: unknown[] });
  return JSON.stringify({ keys: sets.flatMap(({ keys }) => keys) });
};

/** The address of the console in browsers; independent of the gateways. */
const CONSOLE_URL = 'https://school.example';
const first = issuerOf('first');
let token = tokenBy(first);
let system: SecureSystem;
let load: Load;
let provider: TestProvider;
beforeAll(async () => {
  provider = await startProvider(CONSOLE_URL);
  const login = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: CLIENT_ID, CONSOLE_URL };
  system = await startSecureSystem(jwksOf(first), login, provider.secret);
  load = startLoad(system.gateways, () => token);
  await load.more(REQUESTS);
});
afterAll(async () => {
  await load?.stop();
  await system?.stop();
  await provider?.stop();
  rmSync(folder, { recursive: true });
});

/** Waits until all processes have read the changed files, then for some requests. */
const waitForReload = async (): Promise<void> => {
  await pause(RELOAD_MS);
  await load.more(REQUESTS);
};
const checkNoFailures = async (): Promise<void> => {
  await load.more(REQUESTS);
  expect([load.failed.length, load.failed.slice(0, 3)]).toEqual([0, []]);
};
beforeEach(checkNoFailures);

it('exchanges the database passwords of services', async () => {
  const { writeSecret, run, restart, services, secrets, postgres } = system;
  const roles = ['owner', 'app', 'worker'] as const;
  const { package: old } = secrets.database;
  const next = (role: (typeof roles)[number]): string => `${old[role]}-next`;
  for (const role of roles) writeSecret(`package_${role}`, `${next(role)}\n${old[role]}`);
  await waitForReload();
  await run('migrate.ts');
  await load.more(REQUESTS);
  // New connections of instances that know both passwords.
  await restart(services);
  for (const role of roles) writeSecret(`package_${role}`, next(role));
  await waitForReload();
  await restart(services);
  await checkNoFailures();
  const former = new pg.Client({
    connectionString: withLogin(postgres.adminUrl('teaching'), 'package_app', old.app),
  });
  await expect(former.connect()).rejects.toThrow('password authentication failed');
});

it('exchanges the password of the database administrator', async () => {
  const { writeSecret, run, postgres } = system;
  await postgres.sql("alter role teaching_admin password 'next password of the database admin'");
  await expect(run('migrate.ts')).rejects.toThrow('password authentication failed');
  writeSecret('admin', 'next password of the database admin');
  await run('migrate.ts');
  await checkNoFailures();
});

it('exchanges the password of the backup', async () => {
  const { writeSecret, run, postgres } = system;
  const login = async (password: string): Promise<void> => {
    const client = new pg.Client(withLogin(postgres.adminUrl('postgres'), 'teaching_backup', password));
    await client.connect();
    await client.end();
  };
  await login('first password of the backup');
  writeSecret('backup', 'next password of the backup');
  await run('migrate.ts');
  await login('next password of the backup');
  await expect(login('first password of the backup')).rejects.toThrow('password authentication failed');
  await checkNoFailures();
});

it('exchanges the certificate of the database and its authority', async () => {
  const { writeSecret, restart, services, authority, postgres } = system;
  const next = await createAuthority('Next of the database');
  writeSecret('postgres-ca.crt', authority.cert + next.cert);
  await postgres.setCertificate(await next.issue({ names: HOSTS }));
  await load.more(REQUESTS);
  await restart(services);
  writeSecret('postgres-ca.crt', next.cert);
  await restart(services);
  await checkNoFailures();
});

it('exchanges the broker logins of services, the gateway and the admin', async () => {
  const { writeSecret, secretPath, restart, run, services, gateways, nats, secrets } = system;
  const setLogin = (user: 'package' | 'gateway' | 'admin', nkeys: string[], password: boolean): void => {
    writeLogins(nats.folder, withUserLogin(readLogins(nats.folder), { user, nkeys, password }));
    nats.reload();
  };
  const NKEY: Env = { NATS_PASSWORD_FILE: '' };
  for (const [user, instances] of [
    ['package', services],
    ['gateway', gateways],
  ] as const) {
    const [one, other] = [newKey(), newKey()];
    // From a password to a key, then from this key to another.
    setLogin(user, [one.nkey], true);
    await restart(instances, { ...NKEY, NATS_NKEY_SEED_FILE: writeSecret(`seed_${user}`, one.seed) });
    setLogin(user, [one.nkey, other.nkey], false);
    await load.more(REQUESTS);
    writeSecret(`seed_${user}`, other.seed);
    await restart(instances);
    setLogin(user, [other.nkey], false);
    await checkNoFailures();
  }
  const admin = newKey();
  setLogin('admin', [admin.nkey], false);
  const address = {
    NATS_URL: nats.url,
    NATS_USER: 'package',
    NATS_PASSWORD: fixedValue([secrets.nats.package]),
    NATS_CA: fixedValue(readFileSync(secretPath('nats-ca.crt'), 'utf8')),
    NATS_CERT: fixedValue(readFileSync(secretPath('nats.crt'), 'utf8')),
    NATS_KEY: fixedValue(readFileSync(secretPath('nats.key'), 'utf8')),
  };
  await expect(connectOnce(address, 'test')).rejects.toThrow(/Authorization/i);
  await expect
    .poll(() => run('cli.ts', 'streams').catch((error: unknown) => String(error)), POLL_OPTIONS)
    .toMatch(/Authorization/i);
  await checkNoFailures();
});

it('exchanges the certificates of the broker and its users, and their authority', async () => {
  const { writeSecret, secretPath, restart, services, gateways, nats } = system;
  const before = readFileSync(secretPath('nats-ca.crt'), 'utf8');
  const next = await createAuthority('Next of the broker');
  writeSecret('nats-ca.crt', before + next.cert);
  nats.setCertificate(await next.issue({ names: HOSTS }), before + next.cert);
  await load.more(REQUESTS);
  const client = await next.issue({ names: ['service'] });
  writeSecret('nats.crt', client.cert);
  writeSecret('nats.key', client.key);
  await restart([...services, ...gateways]);
  writeSecret('nats-ca.crt', next.cert);
  nats.setCertificate(await next.issue({ names: HOSTS }), next.cert);
  await restart([...services, ...gateways]);
  await checkNoFailures();
});

it('exchanges the signing secret', async () => {
  const { writeSecret, secretPath, gateways } = system;
  const page = async (more: string) => {
    const url = `${gateways[0]?.address}/api/v1/clazz/course-package/list/my?limit=1${more}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const { next_cursor = '' } = z.object({ next_cursor: z.string().optional() }).parse(await answer.json());
    return { status: answer.status, further: `&cursor=${encodeURIComponent(next_cursor)}` };
  };
  const { further } = await page('');
  const old = readFileSync(secretPath('signing'), 'utf8');
  const next = 'another secret of more than thirty-two characters';
  for (const step of [`${old},${next}`, `${next},${old}`]) {
    writeSecret('signing', step);
    await waitForReload();
    expect(await page(further)).toMatchObject({ status: 200 });
  }
  writeSecret('signing', next);
  await waitForReload();
  await checkNoFailures();
  expect(await page(further)).toMatchObject({ status: 400 });
});

it('exchanges the key that signs callers', async () => {
  const { writeSecret, secretPath } = system;
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const open = publicKey.export({ format: 'der', type: 'spki' }).toString('base64url');
  writeSecret('open', `${readFileSync(secretPath('open'), 'utf8')},${open}`);
  await waitForReload();
  writeSecret('seal', privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url'));
  await waitForReload();
  writeSecret('open', open);
  await waitForReload();
  await checkNoFailures();
});

it('exchanges the keys of the token issuer', async () => {
  const { writeSecret, gateways } = system;
  const next = issuerOf('next');
  const old = token;
  writeSecret('jwks.json', jwksOf(first, next));
  await waitForReload();
  token = tokenBy(next);
  await load.more(REQUESTS);
  writeSecret('jwks.json', jwksOf(next));
  await waitForReload();
  await checkNoFailures();
  const headers = { authorization: `Bearer ${old}` };
  const answers = gateways.map(({ address }) => fetch(`${address}/api/v1/clazz/course-package/list/my`, { headers }));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401]);
});

it('exchanges the secret of the console at the login provider', async () => {
  const { writeSecret, gateways } = system;
  provider.person = { sub: 'ada', claims: { org_id: ORG, roles: ['TEACHER'] } };
  const logIn = async (): Promise<void> => {
    for (const { address } of gateways) {
      const page = createBrowser(address, CONSOLE_URL);
      expect(await page.open('/auth/login?return_to=/today')).toBe('/today');
      expect((await page.post('/auth/refresh')).status).toBe(200);
    }
  };
  const [old, next] = [provider.secret, 'next secret of the login provider'];
  await logIn();
  writeSecret('oidc', `${old}\n${next}`);
  await waitForReload();
  await logIn();
  provider.secret = next;
  await logIn();
  writeSecret('oidc', next);
  await waitForReload();
  await logIn();
  await checkNoFailures();
});
