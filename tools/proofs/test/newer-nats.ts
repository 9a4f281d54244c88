import { execFileSync } from 'node:child_process';
import { findNatsServer } from '../../developers/setup/find-nats-server.mjs';
import { natsServerOfSuite } from '../../developers/setup/nats-of-suite.mjs';

/** A nats-server program for tests, or the reason why it is not available. */
export type NatsServer = { label: string; path: string; version: string } | { label: string; missing: string };

/** Debian suites with newer nats-servers than the oldest supported one: currently 2.10 and 2.15. */
const SUITES = ['trixie', 'forky'] as const;

const installed = (): string => {
  const path = findNatsServer();
  if (path === undefined) throw new Error('no nats-server is installed: `node tools/setup.mjs` gets one');
  return path;
};

const described = async (label: string, get: () => string | Promise<string>): Promise<NatsServer> => {
  try {
    const path = await get();
    const version = /v(\d+\.\d+\.\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1];
    return version === undefined ? { label, missing: `${path} does not print its version` } : { label, path, version };
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    return { label, missing: `not available on this machine: ${reason}` };
  }
};

/** The installed nats-server and newer ones, as far as they are available. */
export const natsServers = async (): Promise<NatsServer[]> => {
  const servers = [await described('in use', installed)];
  for (const suite of SUITES) servers.push(await described(suite, () => natsServerOfSuite(suite)));
  return servers;
};
