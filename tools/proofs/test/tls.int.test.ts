import { mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { freePort } from '@teaching/local/ports.ts';
import { removeDataDir } from '@teaching/local/postgres-folder.ts';
import { provision, withLogin, withPassword } from '../../operators/migrate/provision.ts';
import { migrate } from '../../../libs/kit/src/db/migrate.ts';
import { app as packageApp } from '../../../services/package/src/app.ts';
import { DatabaseAddress } from '../../../libs/kit/src/db/address.ts';
import { DatabaseClient } from '../../../libs/kit/src/db/database-client.ts';
import { faultKindOf } from '../../../libs/kit/src/db/database-fault.ts';
import { connectionOptions, createPool } from '../../../libs/kit/src/db/pool.ts';
import { SharedReads } from '../../../libs/kit/src/db/shared-reads.ts';
import { notNull, createLogger, fixedValue, p, statement } from '../../../libs/kit/src/index.ts';
import { start as startPackage } from '../../../services/package/src/main.ts';
import { type Authority, createAuthority, type IssuedCertificate } from '../system/certificates.ts';
import { inCheckout, launch, runCli } from './run-tool.ts';
import { VERIFY_CALLER } from './signing-keys.ts';
import {
  writeAtomic,
  type SecureNats,
  type SecurePostgres,
  startSecureNats,
  startSecurePostgres,
} from '../system/secure-servers.ts';
import { POLL_OPTIONS } from './poll-options.ts';

const { secrets, adminUrl: plainPostgres } = inject('stack');
const dataDir = mkdtempSync(join(tmpdir(), 'teaching-tls-'));
chmodSync(dataDir, 0o711);
const file = (name: string, content: string): string => writeAtomic(join(dataDir, 'files', name), content);
const log = createLogger('test', 'silent');

const HOSTS = ['localhost', '127.0.0.1'];
let ours: Authority;
let others: Authority;
let issued: IssuedCertificate;
let client: IssuedCertificate;
let ca: string;
let postgres: SecurePostgres;
let nats: SecureNats;

beforeAll(async () => {
  [ours, others] = await Promise.all([createAuthority('Ours'), createAuthority('Others')]);
  [issued, client] = await Promise.all([ours.issue({ names: HOSTS }), ours.issue({ names: ['clazz'] })]);
  ca = file('ca.crt', ours.cert);
  postgres = await startSecurePostgres(dataDir, issued);
  nats = await startSecureNats({ dataDir, secrets, issued, authority: ours, mutual: true });
});
afterAll(async () => {
  await Promise.all([postgres?.stop(), nats?.stop()]);
  removeDataDir(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
});

/** A database URL with TLS for a user. The server certificate must contain `host`. */
const urlOf = (
  user: string,
  { host = 'localhost', root = ca, database = 'teaching', port = postgres.port } = {},
): string =>
  `postgres://${user}@${host}:${port}/${database}?sslmode=verify-full&sslrootcert=${encodeURIComponent(root)}`;
const busFiles = () => ({
  NATS_URL: nats.url,
  NATS_CA_FILE: ca,
  NATS_CERT_FILE: file('client.crt', client.cert),
  NATS_KEY_FILE: file('client.key', client.key),
});
const sqlIn = async (database: string, text: string): Promise<void> => {
  const one = new pg.Client({ connectionString: postgres.adminUrl(database) });
  await one.connect();
  await one.query(text);
  await one.end();
};
/** Exactly the privileges that docs/secrets.md requires. */
const PRIVILEGES = [
  "create role teaching_admin login createrole password 'password of the admin'",
  'create database teaching',
  'grant create on database teaching to teaching_admin',
  'grant set on parameter log_parameter_max_length, log_error_verbosity, log_min_messages to teaching_admin',
];
const EXTENSIONS = 'grant create on schema public to teaching_admin';
const { package: passwords } = secrets.database;
const former = (password: string): string => `${password}-old`;

describe('With TLS and secrets in files', () => {
  it('a role with few privileges prepares a service and later changes its passwords', async () => {
    for (const privilege of PRIVILEGES) await postgres.sql(privilege);
    await sqlIn('teaching', EXTENSIONS);
    const adminUrl = withPassword(urlOf('teaching_admin'), 'password of the admin');
    const old = { owner: former(passwords.owner), app: former(passwords.app), worker: former(passwords.worker) };
    await provision({ adminUrl, service: 'package', passwords: old });
    await migrate(withLogin(adminUrl, 'package_owner', old.owner), 'package', packageApp.migrations);
    await provision({ adminUrl, service: 'package', passwords });
    expect(await migrate(withLogin(adminUrl, 'package_owner', passwords.owner), 'package', packageApp.migrations)).toBe(
      0,
    );
    const roles = "('package_owner', 'package_app', 'package_worker', 'teaching_admin')";
    expect(
      await postgres.sql(
        `select from pg_roles where rolname in ${roles} and (rolsuper or rolbypassrls or rolcreatedb or rolreplication)`,
      ),
    ).toEqual([]);
  });

  it('a service uses TLS on every connection, and the status command finds it', { timeout: 60_000 }, async () => {
    const running = await startPackage({
      ...busFiles(),
      NATS_USER: 'package',
      NATS_PASSWORD_FILE: file('bus-package', secrets.nats.package),
      SIGNING_SECRET_FILE: file('signing', secrets.signing),
      CALLER_KEYS_FILE: file('caller-keys', VERIFY_CALLER),
      DATABASE_URL: urlOf('package_app', { host: '127.0.0.1' }),
      // The former password comes first and is refused.
      DATABASE_PASSWORD_FILE: file('app', `${former(passwords.app)}\n${passwords.app}`),
      WORKER_DATABASE_URL: urlOf('package_worker'),
      WORKER_DATABASE_PASSWORD_FILE: file('worker', `${former(passwords.worker)}\n${passwords.worker}`),
      MIGRATION_DATABASE_URL: urlOf('package_owner'),
      MIGRATION_DATABASE_PASSWORD_FILE: file('owner', `${former(passwords.owner)}\n${passwords.owner}`),
      HEALTH_HOST: '127.0.0.1',
      HEALTH_PORT: '0',
      LOG_LEVEL: 'silent',
    });
    const connections = await postgres.sql<{ usename: string; ssl: boolean; n: number }>(
      `select usename, ssl, count(*)::int as n from pg_stat_ssl join pg_stat_activity using (pid)
       where usename like 'package_%' group by 1, 2 order by 1`,
    );
    const env = { ...busFiles(), NATS_ADMIN_PASSWORD_FILE: file('bus-admin', secrets.nats.admin) };
    const status = await runCli('status', env, '--json');
    await running.stop();
    expect(connections.map(({ usename, ssl }) => [usename, ssl])).toEqual([
      ['package_app', true],
      ['package_worker', true],
    ]);
    expect(JSON.parse(status.out)).toMatchObject({ package: { logs: [{ log: 'package' }] }, clazz: null });
  });
});

describe('The dependencies of an instance', () => {
  it(
    'have metrics: time left of certificates, size of streams, log that Postgres retains',
    { timeout: 60_000 },
    async () => {
      const [METRICS_PORT, shown] = [String(await freePort()), file('shown.crt', client.cert)];
      const cert = async (days: number): Promise<string> => (await ours.issue({ names: ['clazz'], days })).cert;
      const key = file('shown.key', client.key);
      await postgres.sql("select pg_create_physical_replication_slot('standby', true)");
      onTestFinished(async () => {
        await postgres.sql("select pg_drop_replication_slot('standby')");
      });
      const { child } = launch([inCheckout('services/package/src/main.ts')], {
        ...busFiles(),
        NATS_CERT_FILE: shown,
        NATS_KEY_FILE: key,
        NATS_USER: 'package',
        NATS_PASSWORD: secrets.nats.package,
        SIGNING_SECRET: secrets.signing,
        CALLER_KEYS: VERIFY_CALLER,
        DATABASE_URL: urlOf('package_app'),
        DATABASE_PASSWORD: passwords.app,
        WORKER_DATABASE_URL: urlOf('package_worker'),
        WORKER_DATABASE_PASSWORD: passwords.worker,
        HEALTH_HOST: '127.0.0.1',
        HEALTH_PORT: '0',
        METRICS_PORT,
        LOG_LEVEL: 'silent',
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const metric = async (name: string, label: string): Promise<number> => {
        const text = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text();
        return Number(RegExp(`^${name}\\{[^}]*${label}[^}]*\\} (\\S+)`, 'm').exec(text)?.[1]);
      };
      const days = async (of: string): Promise<number> =>
        Math.round((await metric('teaching_certificate_left', `of="${of}"`)) / 86_400);

      await expect
        .poll(() => metric('teaching_stream_max', 'stream="EVENTS_PACKAGE"'), POLL_OPTIONS)
        .toBe(1_000_000_000);
      expect(await metric('teaching_stream_bytes', 'stream="EVENTS_PACKAGE"')).toBe(0);
      expect(await days('DATABASE_URL sslrootcert')).toBe(30);
      expect(await days('WORKER_DATABASE_URL sslrootcert')).toBe(30);
      expect(await days('NATS_CA')).toBe(30);
      expect(await days('NATS_CERT')).toBe(20);
      // The certificate is exchanged while the instance runs.
      file('shown.crt', await cert(13));
      await expect.poll(() => days('NATS_CERT'), POLL_OPTIONS).toBe(13);

      expect(await metric('teaching_database_held', 'slot="standby"')).toBeLessThan(2 ** 24);
      await postgres.sql("select pg_create_restore_point('one'), pg_switch_wal()");
      await postgres.sql("select pg_create_restore_point('two'), pg_switch_wal()");
      await expect
        .poll(() => metric('teaching_database_held', 'slot="standby"'), POLL_OPTIONS)
        .toBeGreaterThan(2 ** 24);
    },
  );
});

describe('A login to the database', () => {
  const ONE = statement('select 1 as one', { one: notNull(p.integer()) });

  it('tries the next password when one is refused, in pools and shared reads, and keeps the accepted one', async () => {
    await postgres.sql("create role changing login password 'old password'");
    let passwords: readonly string[] = ['old password', 'new password'];
    const address = new DatabaseAddress(fixedValue(urlOf('changing', { database: 'postgres' })), () => passwords);
    const pool = createPool(address, 4, 'test', log);
    const ask = async () => {
      const reads = new SharedReads(address, 1, 'test', log);
      const answers = await Promise.all([
        ...Array.from({ length: 4 }, () => pool.query('select pg_sleep(0.05)')),
        pool.connect().then((one) => one.release(true)),
        reads.query('01900000-0000-7000-8000-000000000001', ONE, []),
      ]);
      await reads.end();
      return answers.length;
    };
    await ask();
    await postgres.sql("alter role changing password 'new password'");
    expect(await ask()).toBe(6);
    await pool.end();
    expect(address.nextLogin().password).toBe('new password');
    passwords = ['neither'];
    const refused = createPool(address, 1, 'test', log);
    await expect(refused.query('select 1')).rejects.toThrow('password authentication failed');
    await refused.end();
  });

  it('counts received bytes of a TLS connection, so that a busy one is not taken for an unresponsive one', async () => {
    await postgres.sql("create role counting login password 'counting'");
    const url = urlOf('counting', { database: 'postgres' }).replace('counting@', 'counting:counting@');
    const one = new DatabaseClient(connectionOptions(url, 'test'));
    await one.connect();
    await one.query('select 1');
    const before = one.receivedBytes;
    await one.query("select repeat('x', 10000)");
    expect(one.receivedBytes - before).toBeGreaterThan(10_000);
    await one.end();
  });

  const failure = async (url: string): Promise<unknown> => {
    const one = new DatabaseClient(connectionOptions(url, 'test'));
    return one.connect().then(
      () => one.end(),
      (error: unknown) => error,
    );
  };
  const failureText = async (url: string): Promise<string> => String(await failure(url));

  it('is refused by a client when the server has no TLS or an unknown authority', async () => {
    const plain = urlOf('u', { port: Number(new URL(plainPostgres).port) });
    expect(await failureText(plain)).toMatch('The server does not support SSL connections');
    const unknown = urlOf('u', { root: file('others.crt', others.cert) });
    expect(await failureText(unknown)).toMatch(/unable to (verify|get)|self-signed certificate/);
    for (const url of [plain, unknown]) expect(faultKindOf(await failure(url))).toBe('lost');
  });

  it.each([
    ['of another host', { names: ['db.example'] }, /does not match certificate's altnames: Host: localhost/],
    [
      'of another address',
      { names: ['localhost', '127.0.0.9'] },
      /127\.0\.0\.1 is not in the cert's list/,
      '127.0.0.1',
    ],
    ['that has expired', { names: HOSTS, days: -1 }, /certificate has expired/],
  ])(
    'is refused by a client when the server shows a certificate %s',
    async (_case, wanted, reason, host = 'localhost') => {
      onTestFinished(() => postgres.setCertificate(issued));
      await postgres.setCertificate(await ours.issue(wanted));
      await expect.poll(() => failureText(urlOf('u', { host })), POLL_OPTIONS).toMatch(reason);
      expect(faultKindOf(await failure(urlOf('u', { host })))).toBe('lost');
      await postgres.setCertificate(issued);
      await expect.poll(() => failureText(urlOf('u', { host })), POLL_OPTIONS).toMatch('password');
    },
  );

  it('works with a client certificate and without a password', async () => {
    await postgres.sql('create role by_certificate login');
    const own = await ours.issue({ names: ['by_certificate'] });
    await postgres.setAccessRules('hostssl all by_certificate all cert', 'hostssl all all all scram-sha-256');
    await postgres.setCertificate(issued, ours.cert);
    const files = `&sslcert=${file('own.crt', own.cert)}&sslkey=${file('own.key', own.key)}`;
    await expect
      .poll(() => failureText(urlOf('by_certificate', { database: 'postgres' }) + files), POLL_OPTIONS)
      .toBe('undefined');
    expect(await failureText(urlOf('by_certificate', { database: 'postgres' }))).toMatch(
      'requires a valid client certificate',
    );
  });
});
