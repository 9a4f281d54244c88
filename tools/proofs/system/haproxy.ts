import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopChild } from '@teaching/local/child.ts';
import { leash } from '@teaching/local/leash.ts';
import { freePort } from '@teaching/local/ports.ts';
import { unpackedFromDebian } from '../../developers/setup/debian.mjs';
import { holds } from './poll.ts';

const FOLDER = fileURLToPath(new URL('../../../deploy/proxy/', import.meta.url));
const START_MS = 10_000;
const MOST_SAID = 100_000;
const MOST_TOLD = 20;

/** The proxy of `deploy/proxy` before gateways whose ports are given: there is no name server that knows them. */
export interface LiveProxy {
  address: string;
  /** Its lines of requests that were broken off. */
  said: () => string;
  end: () => Promise<void>;
}

const configFor = (folder: string, port: number, gateways: readonly number[]): string => {
  const servers = gateways.map((one, n) => `    server gateway${n + 1} 127.0.0.1:${one}`).join('\n');
  return (
    readFileSync(`${FOLDER}haproxy.cfg`, 'utf8')
      .replace('bind :8080', `bind 127.0.0.1:${port}`)
      .replace('bind :8405', `bind ${folder}/metrics.sock`)
      .replaceAll('/usr/local/etc/haproxy/', FOLDER)
      // One name in the whole machine.
      .replaceAll('abns@once', `abns@teaching-${port}`)
      .replace(/^ +server-template .*$/m, servers)
  );
};

/** Four letters before the counts say how a request ended, by itself or in answer to a gateway with dashes only. */
const brokenOff = (said: string): string =>
  said
    .split('\n')
    .filter((line) => / [A-Za-z-]{4} \d+\//.test(line) && !/ ---- \d+\//.test(line))
    .slice(-MOST_TOLD)
    .join('\n');

export const startProxyBefore = async (gateways: readonly number[]): Promise<LiveProxy> => {
  const unpacked = await unpackedFromDebian('haproxy');
  const folder = mkdtempSync(join(tmpdir(), 'teaching-proxy-'));
  const port = await freePort();
  writeFileSync(join(folder, 'haproxy.cfg'), configFor(folder, port, gateways));
  const child = spawn(join(unpacked, 'usr/sbin/haproxy'), ['-db', '-f', join(folder, 'haproxy.cfg')], {
    // It brings libraries that the system may not have.
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(unpacked, `usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  leash(child, 'TERM');
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-MOST_SAID)));
  const address = `http://127.0.0.1:${port}`;
  const end = async (): Promise<void> => {
    await stopChild(child, [
      ['SIGTERM', 5_000],
      ['SIGKILL', 5_000],
    ]);
    rmSync(folder, { recursive: true, force: true });
  };
  if (!(await holds(async () => (await fetch(address)).status > 0, START_MS))) {
    await end();
    throw new Error(`The proxy did not start: ${said}`);
  }
  return { address, said: () => brokenOff(said), end };
};
