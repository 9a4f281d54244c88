import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@teaching/local/ports.ts';
import { startDebianProgram } from './debian-program.ts';
import { holdsWithin } from './poll.ts';

const FOLDER = fileURLToPath(new URL('../../../deploy/proxy/', import.meta.url));
const START_MS = 60_000;
const MAX_LINES = 20;

/** The proxy of `deploy/proxy` in front of gateways with fixed ports, because no name server lists them. */
export interface Haproxy {
  address: string;
  /** The log lines of aborted requests, at most 20. */
  abortedRequests: () => string;
  end: () => Promise<void>;
}

const configFor = (folder: string, port: number, gateways: readonly number[]): string => {
  const servers = gateways.map((one, n) => `    server gateway${n + 1} 127.0.0.1:${one}`).join('\n');
  return (
    readFileSync(`${FOLDER}haproxy.cfg`, 'utf8')
      .replace('bind :8080', `bind 127.0.0.1:${port}`)
      .replace('bind :8405', `bind ${folder}/metrics.sock`)
      .replaceAll('/usr/local/etc/haproxy/', FOLDER)
      // The socket name must be unique on the machine.
      .replaceAll('abns@once', `abns@teaching-${port}`)
      .replace(/^ +server-template .*$/m, servers)
  );
};

/** Lines of aborted requests. Four letters before the counts show the termination; `----` is a normal one. */
const abortedRequests = (log: string): string =>
  log
    .split('\n')
    .filter((line) => / [A-Za-z-]{4} \d+\//.test(line) && !/ ---- \d+\//.test(line))
    .slice(-MAX_LINES)
    .join('\n');

export const startHaproxy = async (gateways: readonly number[]): Promise<Haproxy> => {
  const folder = mkdtempSync(join(tmpdir(), 'teaching-proxy-'));
  const port = await freePort();
  writeFileSync(join(folder, 'haproxy.cfg'), configFor(folder, port, gateways));
  const program = await startDebianProgram('haproxy', 'usr/sbin/haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')]);
  const address = `http://127.0.0.1:${port}`;
  const end = async (): Promise<void> => {
    await program.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  if (!(await holdsWithin(async () => (await fetch(address)).status > 0, START_MS))) {
    await end();
    throw new Error(`the proxy did not start: ${program.output()}`);
  }
  return { address, abortedRequests: () => abortedRequests(program.output()), end };
};
