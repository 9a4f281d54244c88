import { execFileSync } from 'node:child_process';
import { findNatsServer } from '../../developers/setup/find-nats-server.mjs';
import { natsServerOfSuite } from '../../developers/setup/nats-of-suite.mjs';

/** A nats-server to run something on, or why there is none. */
export type NatsServer = { label: string; path: string; version: string } | { label: string; missing: string };

/** Suites of Debian whose nats-server is newer than the oldest we support: at the time of writing 2.10 and 2.15. */
const SUITES = ['trixie', 'forky'] as const;

const usual = (): string => {
  const path = findNatsServer();
  if (path === undefined) throw new Error('none is installed: `node tools/setup.mjs` gets one');
  return path;
};

const described = async (label: string, get: () => string | Promise<string>): Promise<NatsServer> => {
  try {
    const path = await get();
    const version = /v(\d+\.\d+\.\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1];
    return version === undefined ? { label, missing: `${path} does not say its version` } : { label, path, version };
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    return { label, missing: `cannot be had here: ${reason}` };
  }
};

/** The nats-server in use and newer ones, as far as they can be had here, one after the other. */
export const natsServers = async (): Promise<NatsServer[]> => {
  const servers = [await described('in use', usual)];
  for (const suite of SUITES) servers.push(await described(suite, () => natsServerOfSuite(suite)));
  return servers;
};
