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
import { type Authority, createAuthority, type IssuedCertificate } from '../system/certificates.ts';
import { createJwtOperator } from './creds.ts';
import { runCli } from './run-tool.ts';
import { createNatsServer } from '../system/nats-server.ts';
import { writeAtomic, type SecureNats, startSecureNats } from '../system/secure-servers.ts';
import { POLL_OPTIONS } from './poll-options.ts';

const { secrets, natsUrl: plainNats } = inject('stack');
const dataDir = mkdtempSync(join(tmpdir(), 'teaching-tls-bus-'));
chmodSync(dataDir, 0o711);

const HOSTS = ['localhost', '127.0.0.1'];
let ours: Authority;
let others: Authority;
let issued: IssuedCertificate;
let client: IssuedCertificate;
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

describe('A TLS connection to the bus', () => {
  const login = (): BusAddress => ({
    NATS_URL: nats.url,
    NATS_USER: 'clazz',
    NATS_PASSWORD: fixedValue([secrets.nats.clazz]),
    NATS_CA: fixedValue(ours.cert),
    NATS_CERT: fixedValue(client.cert),
    NATS_KEY: fixedValue(client.key),
  });
  const connectionResult = (address: BusAddress): Promise<string> =>
    connectOnce(address, 'test').then(
      async (nc) => {
        await nc.close();
        return 'connected';
      },
      (error: unknown) => String(error),
    );

  it('is accepted only with a client certificate of the known authority', async () => {
    expect(await connectionResult(login())).toBe('connected');
    expect(await connectionResult({ ...login(), NATS_CERT: undefined, NATS_KEY: undefined })).not.toBe('connected');
    const foreign = await others.issue({ names: ['clazz'] });
    expect(
      await connectionResult({ ...login(), NATS_CERT: fixedValue(foreign.cert), NATS_KEY: fixedValue(foreign.key) }),
    ).not.toBe('connected');
  });

  it('is refused by a client when the server has no TLS or an unknown authority', async () => {
    const plain = { NATS_URL: `tls://localhost:${new URL(plainNats).port}` };
    expect(await connectionResult({ ...login(), ...plain })).toMatch("server does not support 'tls'");
    expect(
      await connectionResult({ ...login(), ...plain, NATS_CA: undefined, NATS_CERT: undefined, NATS_KEY: undefined }),
    ).toMatch("server does not support 'tls'");
    expect(await connectionResult({ ...login(), NATS_CA: fixedValue(others.cert) })).toMatch(
      /unable to|self-signed certificate/,
    );
  });

  it.each([
    ['of another host', { names: ['broker.example'] }, /does not match certificate's altnames: Host: localhost/],
    ['that has expired', { names: HOSTS, days: -1 }, /certificate has expired/],
  ])('is refused by a client when the server shows a certificate %s', async (_case, wanted, reason) => {
    onTestFinished(() => nats.setCertificate(issued, ours.cert));
    nats.setCertificate(await ours.issue(wanted), ours.cert);
    await expect.poll(() => connectionResult(login()), POLL_OPTIONS).toMatch(reason);
    nats.setCertificate(issued, ours.cert);
    await expect.poll(() => connectionResult(login()), POLL_OPTIONS).toBe('connected');
  });

  it('is accepted with any key of the user, and with no password after passwords are turned off', async () => {
    const setLogin = (one: Login): void => {
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
    await expect.poll(() => connectionResult(byKey(seed)), POLL_OPTIONS).toBe('connected');
    expect(await connectionResult(byPassword)).toBe('connected');
    expect(first).toMatchObject({ user: 'course', nkeys: [expect.stringMatching(/^U/)], password: true });
    const next = newKey();
    setLogin({ user: 'course', nkeys: [...(first?.nkeys ?? []), next.nkey], password: false });
    await expect.poll(() => connectionResult(byPassword), POLL_OPTIONS).toMatch(/Authorization/i);
    expect([await connectionResult(byKey(seed)), await connectionResult(byKey(next.seed))]).toEqual([
      'connected',
      'connected',
    ]);
    setLogin({ user: 'course', nkeys: [next.nkey], password: false });
    await expect.poll(() => connectionResult(byKey(seed)), POLL_OPTIONS).toMatch(/Authorization/i);
    expect(await connectionResult(byKey(next.seed))).toBe('connected');
    expect(() => setLogin({ user: 'course', nkeys: [], password: false })).toThrow('neither a key nor a password');
  });

  it('uses the .creds file of a user as it is when the connection is made', async () => {
    const operator = createJwtOperator();
    const operatorFolder = join(dataDir, 'operator');
    const config = writeAtomic(join(operatorFolder, 'nats.conf'), operator.config);
    const broker = createNatsServer({ dataDir: operatorFolder, config, passwords: {} });
    await broker.start();
    const path = writeAtomic(join(dataDir, 'user.creds'), operator.credsOf('clazz', ['beat.clazz']));
    const { NATS_CREDS } = readConfig(z.object(brokerConfig), { NATS_URL: broker.url(), NATS_CREDS_FILE: path });
    const address = { NATS_URL: broker.url(), NATS_USER: 'clazz', NATS_CREDS };
    expect(await connectionResult(address)).toBe('connected');
    expect(await connectionResult({ NATS_URL: broker.url(), NATS_USER: 'clazz' })).toMatch(/Authorization/i);
    expect(
      await connectionResult({ ...address, NATS_CREDS: fixedValue(createJwtOperator().credsOf('clazz', [])) }),
    ).toMatch(/Authorization/i);
    await broker.stop();
  });
});
