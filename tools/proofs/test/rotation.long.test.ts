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
import { type Load, startLoad } from './rotation/load.ts';
import { HOSTS, type SecureSystem, startSecureSystem } from '../system/secure-system.ts';
import { POLL_OPTIONS } from './poll-options.ts';

// Each secret is exchanged as docs/secrets.md says, in a running system under requests, of which none may fail.

/** What is read again is looked at once a second by whoever uses it. */
const TAKEN_MS = 1_500;
/** Requests between two steps. */
const SOME = 40;
const ORG = '01900000-0000-7000-8000-000000000001';

const folder = mkdtempSync(join(tmpdir(), 'teaching-issuer-'));
const issuerOf = (name: string): Keys => keysIn(join(folder, name));
const tokenBy = (keys: Keys): string =>
  issueToken(keys, { org: ORG, sub: 'ada', roles: ['TEACHER'], ttlSeconds: 3_600 });
const jwksOf = (...all: readonly Keys[]): string => {
  const sets = all.map(({ jwksFile }) => JSON.parse(readFileSync(jwksFile, 'utf8')) as { keys: unknown[] });
  return JSON.stringify({ keys: sets.flatMap(({ keys }) => keys) });
};

/** What browsers open, wherever the gateways are. */
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
  await load.more(SOME);
});
afterAll(async () => {
  await load?.stop();
  await system?.stop();
  await provider?.stop();
  rmSync(folder, { recursive: true });
});

/** Time for everybody to take what was written, with requests before and after. */
const taken = async (): Promise<void> => {
  await pause(TAKEN_MS);
  await load.more(SOME);
};
const noneFailed = async (): Promise<void> => {
  await load.more(SOME);
  expect([load.failed.length, load.failed.slice(0, 3)]).toEqual([0, []]);
};
beforeEach(noneFailed);

it('passwords of the database', async () => {
  const { give, run, renew, services, secrets, postgres } = system;
  const roles = ['owner', 'app', 'worker'] as const;
  const { package: old } = secrets.database;
  const next = (role: (typeof roles)[number]): string => `${old[role]}-next`;
  for (const role of roles) give(`package_${role}`, `${next(role)}\n${old[role]}`);
  await taken();
  await run('migrate.ts');
  await load.more(SOME);
  // Connections are made anew, by instances that know both.
  await renew(services);
  for (const role of roles) give(`package_${role}`, next(role));
  await taken();
  await renew(services);
  await noneFailed();
  const former = new pg.Client({
    connectionString: withLogin(postgres.adminUrl('teaching'), 'package_app', old.app),
  });
  await expect(former.connect()).rejects.toThrow('password authentication failed');
});

it('the password of the role that prepares the database', async () => {
  const { give, run, postgres } = system;
  await postgres.sql("alter role teaching_admin password 'another of the admin'");
  await expect(run('migrate.ts')).rejects.toThrow('password authentication failed');
  give('admin', 'another of the admin');
  await run('migrate.ts');
  await noneFailed();
});

it('the password of the backup', async () => {
  const { give, run, postgres } = system;
  const login = async (password: string): Promise<void> => {
    const client = new pg.Client(withLogin(postgres.adminUrl('postgres'), 'teaching_backup', password));
    await client.connect();
    await client.end();
  };
  await login('the first of the backup');
  give('backup', 'the next of the backup');
  await run('migrate.ts');
  await login('the next of the backup');
  await expect(login('the first of the backup')).rejects.toThrow('password authentication failed');
  await noneFailed();
});

it('the certificate of the database and its authority', async () => {
  const { give, renew, services, authority, postgres } = system;
  const next = await createAuthority('Next of the database');
  give('postgres-ca.crt', authority.cert + next.cert);
  await postgres.present(await next.issue({ names: HOSTS }));
  await load.more(SOME);
  await renew(services);
  give('postgres-ca.crt', next.cert);
  await renew(services);
  await noneFailed();
});

it('logins of the broker, and those of its admin', async () => {
  const { give, path, renew, run, services, gateways, nats, secrets } = system;
  const logsIn = (user: 'package' | 'gateway' | 'admin', nkeys: string[], password: boolean): void => {
    writeLogins(nats.folder, withUserLogin(readLogins(nats.folder), { user, nkeys, password }));
    nats.reload();
  };
  const NKEY: Env = { NATS_PASSWORD_FILE: '' };
  for (const [user, instances] of [
    ['package', services],
    ['gateway', gateways],
  ] as const) {
    const [one, other] = [newKey(), newKey()];
    // From a password to a key, and from a key to another.
    logsIn(user, [one.nkey], true);
    await renew(instances, { ...NKEY, NATS_NKEY_SEED_FILE: give(`seed_${user}`, one.seed) });
    logsIn(user, [one.nkey, other.nkey], false);
    await load.more(SOME);
    give(`seed_${user}`, other.seed);
    await renew(instances);
    logsIn(user, [other.nkey], false);
    await noneFailed();
  }
  const admin = newKey();
  logsIn('admin', [admin.nkey], false);
  const address = {
    NATS_URL: nats.url,
    NATS_USER: 'package',
    NATS_PASSWORD: fixedValue([secrets.nats.package]),
    NATS_CA: fixedValue(readFileSync(path('nats-ca.crt'), 'utf8')),
    NATS_CERT: fixedValue(readFileSync(path('nats.crt'), 'utf8')),
    NATS_KEY: fixedValue(readFileSync(path('nats.key'), 'utf8')),
  };
  await expect(connectOnce(address, 'test')).rejects.toThrow(/Authorization/i);
  await expect
    .poll(() => run('cli.ts', 'streams').catch((error: unknown) => String(error)), POLL_OPTIONS)
    .toMatch(/Authorization/i);
  await noneFailed();
});

it('certificates of the broker and of its users, and their authority', async () => {
  const { give, path, renew, services, gateways, nats } = system;
  const before = readFileSync(path('nats-ca.crt'), 'utf8');
  const next = await createAuthority('Next of the broker');
  give('nats-ca.crt', before + next.cert);
  nats.present(await next.issue({ names: HOSTS }), before + next.cert);
  await load.more(SOME);
  const client = await next.issue({ names: ['service'] });
  give('nats.crt', client.cert);
  give('nats.key', client.key);
  await renew([...services, ...gateways]);
  give('nats-ca.crt', next.cert);
  nats.present(await next.issue({ names: HOSTS }), next.cert);
  await renew([...services, ...gateways]);
  await noneFailed();
});

it('the signing secret', async () => {
  const { give, path, gateways } = system;
  const page = async (more: string) => {
    const url = `${gateways[0]?.address}/api/v1/clazz/course-package/list/my?limit=1${more}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const { next_cursor = '' } = z.object({ next_cursor: z.string().optional() }).parse(await answer.json());
    return { status: answer.status, further: `&cursor=${encodeURIComponent(next_cursor)}` };
  };
  const { further } = await page('');
  const old = readFileSync(path('signing'), 'utf8');
  const next = 'another secret of more than thirty-two characters';
  for (const step of [`${old},${next}`, `${next},${old}`]) {
    give('signing', step);
    await taken();
    expect(await page(further)).toMatchObject({ status: 200 });
  }
  give('signing', next);
  await taken();
  await noneFailed();
  expect(await page(further)).toMatchObject({ status: 400 });
});

it('the key that seals callers', async () => {
  const { give, path } = system;
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const open = publicKey.export({ format: 'der', type: 'spki' }).toString('base64url');
  give('open', `${readFileSync(path('open'), 'utf8')},${open}`);
  await taken();
  give('seal', privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url'));
  await taken();
  give('open', open);
  await taken();
  await noneFailed();
});

it('the keys of the issuer of tokens', async () => {
  const { give, gateways } = system;
  const next = issuerOf('next');
  const old = token;
  give('jwks.json', jwksOf(first, next));
  await taken();
  token = tokenBy(next);
  await load.more(SOME);
  give('jwks.json', jwksOf(next));
  await taken();
  await noneFailed();
  const headers = { authorization: `Bearer ${old}` };
  const answers = gateways.map(({ address }) => fetch(`${address}/api/v1/clazz/course-package/list/my`, { headers }));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401]);
});

it('the secret of the console at the login provider', async () => {
  const { give, gateways } = system;
  provider.person = { sub: 'ada', claims: { org_id: ORG, roles: ['TEACHER'] } };
  const logIn = async (): Promise<void> => {
    for (const { address } of gateways) {
      const page = createBrowser(address, CONSOLE_URL);
      expect(await page.open('/auth/login?return_to=/today')).toBe('/today');
      expect((await page.post('/auth/refresh')).status).toBe(200);
    }
  };
  const [old, next] = [provider.secret, 'what both will know from now on'];
  await logIn();
  give('oidc', `${old}\n${next}`);
  await taken();
  await logIn();
  provider.secret = next;
  await logIn();
  give('oidc', next);
  await taken();
  await logIn();
  await noneFailed();
});
