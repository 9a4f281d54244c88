import { type Proxy, startProxy } from '../../../tools/proofs/system/tcp-proxy.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import type { Env } from '../src/index.ts';
import { envWithoutMigration } from './fixture-service/fixture-service.ts';

/** The same login at another port of the loopback address. */
export const urlThroughPort = (url: string | undefined, port: number): string => {
  const changed = new URL(url ?? '');
  changed.hostname = '127.0.0.1';
  changed.port = String(port);
  return changed.href;
};

/** A service's environment with every connection to Postgres through another port. */
export const envThroughLink = (env: Env, port: number): Env => ({
  ...env,
  DATABASE_URL: urlThroughPort(env['DATABASE_URL'], port),
  WORKER_DATABASE_URL: urlThroughPort(env['WORKER_DATABASE_URL'], port),
});

/** A network link to Postgres that can be cut. */
export interface NetworkLink {
  proxy: Proxy;
  /** The environment of a service with all connections to Postgres through the link. */
  envFor: (service: 'course' | 'stats') => Env;
}

export const startNetworkLink = async (fixture: Fixture): Promise<NetworkLink> => {
  const admin = new URL(fixture.adminUrl);
  const port = Number(admin.port);
  const proxy = await startProxy(() => ({ host: '127.0.0.1', port }));
  return {
    proxy,
    envFor: (service) => envThroughLink(envWithoutMigration(fixture, service), proxy.port),
  };
};
