import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import type { Env } from '../../../../libs/kit/src/index.ts';
import { prepareStreams } from '../../streams/prepare.ts';
import { createAuthority } from '../../../proofs/system/certificates.ts';
import { writeAtomic, startSecureNats } from '../../../proofs/system/secure-servers.ts';
import { type Installation, OLDEST, type ProcessName } from '../installation.ts';
import { LIMITS, type HealthySystem } from './healthy-system.ts';

type Changes = Partial<Record<ProcessName, Env>>;

/** A system with a planted fault, and the function that removes it. */
export interface Planted {
  installation: Installation;
  undo?: () => Promise<unknown>;
}

/** The healthy system, with changed variables of some processes. */
export const installation = (
  well: HealthySystem,
  changes: Changes = {},
  more: Partial<Installation> = {},
): Installation => ({
  processes: new Map([...well.envs].map(([name, env]) => [name, { ...env, ...changes[name] }])),
  isHere: true,
  copies: 1,
  folders: [well.folder],
  leastFree: 1,
  oldest: OLDEST,
  clock: () => new Date(),
  ...more,
});
export const everywhere = (well: HealthySystem, env: Env): Changes =>
  Object.fromEntries([...well.envs.keys()].map((name) => [name, env]));
export const envOf = (well: HealthySystem, name: ProcessName, variable: string): string =>
  well.envs.get(name)?.[variable] ?? '';
export const changed = (text: string, change: (url: URL) => void): string => {
  const url = new URL(text);
  change(url);
  return url.href;
};

export const variables = (well: HealthySystem, changes: Changes): Planted => ({
  installation: installation(well, changes),
});

/** Plants a fault in the database. */
export const planted = async (well: HealthySystem, mistake: string, undo: string): Promise<Planted> => {
  await well.sql(mistake);
  return { installation: installation(well), undo: () => well.sql(undo) };
};

/** Gives all processes another broker. */
export const throughBroker = async (
  well: HealthySystem,
  options: Parameters<HealthySystem['anotherBroker']>[0],
): Promise<Planted> => variables(well, everywhere(well, { NATS_URL: await well.anotherBroker(options) }));

/** Starts a program that occupies a port. */
export const listening = async (server: Server): Promise<{ port: string; close: () => Promise<void> }> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port: String(port), close: () => new Promise((resolve) => server.close(() => resolve())) };
};

/** Starts a broker with TLS. The certificate of clazz ends in so many days, with its own key or another one's. */
export const withTls = async (well: HealthySystem, days: number, isOwn: boolean): Promise<Planted> => {
  const { secrets } = well;
  const authority = await createAuthority('doctor');
  const [server, client, other] = await Promise.all([
    authority.issue({ names: ['localhost'] }),
    authority.issue({ names: ['clazz'], days }),
    authority.issue({ names: ['other'] }),
  ]);
  const dataDir = join(well.folder, `tls-${days}`);
  const nats = await startSecureNats({ dataDir, secrets, issued: server, authority, mutual: false });
  const login = { NATS_USER: 'admin', NATS_PASSWORD: () => [secrets.nats.admin], NATS_CA: () => authority.cert };
  await prepareStreams({ NATS_URL: nats.url, ...login }, LIMITS);
  const bus = { NATS_URL: nats.url, NATS_CA_FILE: writeAtomic(join(dataDir, 'ca.crt'), authority.cert) };
  const own = {
    NATS_CERT_FILE: writeAtomic(join(dataDir, 'clazz.crt'), client.cert),
    NATS_KEY_FILE: writeAtomic(join(dataDir, 'clazz.key'), isOwn ? client.key : other.key),
  };
  const changes = { ...everywhere(well, bus), clazz: { ...bus, ...own } };
  return { installation: installation(well, changes), undo: () => nats.stop() };
};
