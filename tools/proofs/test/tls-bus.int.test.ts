import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type BusAddress, connectOnce, fixedValue, readConfig } from '../../../libs/kit/src/index.ts';
import { brokerConfig } from '../../../libs/kit/src/ops/broker-variables.ts';
import { readLogins, writeLogins } from '../../operators/broker/files.ts';
import { withUserLogin, type Login } from '../../operators/broker/user-login.ts';
import { newKey } from '../../operators/broker/reader-account.ts';
import { type Authority, createAuthority, type Issued } from '../system/certificates.ts';
import { createJwtOperator } from './creds.ts';
import { runCli } from './run-tool.ts';
import { createNatsServer } from '../system/nats-server.ts';
import { put, type SecureNats, startSecureNats } from '../system/secure-servers.ts';
import { POLL_OPTIONS } from './poll-options.ts';

const { secrets, natsUrl: plainNats } = inject('stack');
const dataDir = mkdtempSync(join(tmpdir(), 'teaching-tls-bus-'));
chmodSync(dataDir, 0o711);

const HOSTS = ['localhost', '127.0.0.1'];
let ours: Authority;
let others: Authority;
let issued: Issued;
let client: Issued;
let nats: SecureNats;

beforeAll(async () => {
  [ours, others] = await Promise.all([createAuthority('Ours'), createAuthority('Others')]);
  [issued, client] = await Promise.all([ours.issue({ names: HOSTS }), ours.issue({ names: ['clazz'] })]);
  nats = await startSecureNats({ dataDir, secrets, issued, authority: ours, mutual: true });
});
afterAll(async () => {
  await nats?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('the bus', () => {
  const login = (): BusAddress => ({
    NATS_URL: nats.url,
    NATS_USER: 'clazz',
    NATS_PASSWORD: fixedValue([secrets.nats.clazz]),
    NATS_CA: fixedValue(ours.cert),
    NATS_CERT: fixedValue(client.cert),
    NATS_KEY: fixedValue(client.key),
  });
  const told = (address: BusAddress): Promise<string> =>
    connectOnce(address, 'test').then(
      async (nc) => {
        await nc.close();
        return 'let in';
      },
      (error: unknown) => String(error),
    );

  it('lets in whom it knows by a certificate, and refuses others', async () => {
    expect(await told(login())).toBe('let in');
    expect(await told({ ...login(), NATS_CERT: undefined, NATS_KEY: undefined })).not.toBe('let in');
    const foreign = await others.issue({ names: ['clazz'] });
    expect(await told({ ...login(), NATS_CERT: fixedValue(foreign.cert), NATS_KEY: fixedValue(foreign.key) })).not.toBe(
      'let in',
    );
  });

  it('is refused by a client that finds no TLS, or another authority', async () => {
    const plain = { NATS_URL: `tls://localhost:${new URL(plainNats).port}` };
    expect(await told({ ...login(), ...plain })).toMatch("server does not support 'tls'");
    expect(await told({ ...login(), ...plain, NATS_CA: undefined, NATS_CERT: undefined, NATS_KEY: undefined })).toMatch(
      "server does not support 'tls'",
    );
    expect(await told({ ...login(), NATS_CA: fixedValue(others.cert) })).toMatch(/unable to|self-signed certificate/);
  });

  it.each([
    ['of another host', { names: ['broker.example'] }, /does not match certificate's altnames: Host: localhost/],
    ['that has expired', { names: HOSTS, days: -1 }, /certificate has expired/],
  ])('is refused by a client that is shown a certificate %s', async (_what, wanted, reason) => {
    onTestFinished(() => nats.present(issued, ours.cert));
    nats.present(await ours.issue(wanted), ours.cert);
    await expect.poll(() => told(login()), POLL_OPTIONS).toMatch(reason);
    nats.present(issued, ours.cert);
    await expect.poll(() => told(login()), POLL_OPTIONS).toBe('let in');
  });

  it('knows a user by any of its keys, and by no password once it is off', async () => {
    const logsIn = (one: Login): void => {
      writeLogins(nats.folder, withUserLogin(readLogins(nats.folder), one));
      nats.reload();
    };
    const made = await runCli('logins', {}, 'add', 'course', '--folder', nats.folder);
    const [first] = readLogins(nats.folder);
    nats.reload();
    const byKey = (seed: string) => ({
      ...login(),
      NATS_USER: 'course',
      NATS_PASSWORD: undefined,
      NATS_NKEY_SEED: fixedValue(seed),
    });
    const byPassword = { ...login(), NATS_USER: 'course', NATS_PASSWORD: fixedValue([secrets.nats.course]) };
    const seed = made.out.trim();
    await expect.poll(() => told(byKey(seed)), POLL_OPTIONS).toBe('let in');
    expect(await told(byPassword)).toBe('let in');
    expect(first).toMatchObject({ user: 'course', nkeys: [expect.stringMatching(/^U/)], password: true });
    const next = newKey();
    logsIn({ user: 'course', nkeys: [...(first?.nkeys ?? []), next.nkey], password: false });
    await expect.poll(() => told(byPassword), POLL_OPTIONS).toMatch(/Authorization/i);
    expect([await told(byKey(seed)), await told(byKey(next.seed))]).toEqual(['let in', 'let in']);
    logsIn({ user: 'course', nkeys: [next.nkey], password: false });
    await expect.poll(() => told(byKey(seed)), POLL_OPTIONS).toMatch(/Authorization/i);
    expect(await told(byKey(next.seed))).toBe('let in');
    expect(() => logsIn({ user: 'course', nkeys: [], password: false })).toThrow('neither a key nor a password');
  });

  it('knows a user by a .creds file, as it is when the connection is made', async () => {
    const operator = createJwtOperator();
    const place = join(dataDir, 'operator');
    const config = put(join(place, 'nats.conf'), operator.config);
    const broker = createNatsServer({ dataDir: place, config, passwords: {} });
    await broker.start();
    const path = put(join(dataDir, 'user.creds'), operator.credsOf('clazz', ['beat.clazz']));
    const { NATS_CREDS } = readConfig(z.object(brokerConfig), { NATS_URL: broker.url(), NATS_CREDS_FILE: path });
    const address = { NATS_URL: broker.url(), NATS_USER: 'clazz', NATS_CREDS };
    expect(await told(address)).toBe('let in');
    expect(await told({ NATS_URL: broker.url(), NATS_USER: 'clazz' })).toMatch(/Authorization/i);
    expect(await told({ ...address, NATS_CREDS: fixedValue(createJwtOperator().credsOf('clazz', [])) })).toMatch(
      /Authorization/i,
    );
    await broker.stop();
  });
});
