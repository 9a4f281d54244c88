import { chmodSync, copyFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aptOptions } from './debian.mjs';
import { findNatsServer, OWN_NATS_SERVER } from './find-nats-server.mjs';
import { printLine } from './setup-paths.mjs';
import { run } from './run.mjs';

export const needsNatsServer = () => !process.env.NATS_URL && findNatsServer() === undefined;

const ADVICE = `No nats-server found. Install one, then run the command again:
  Debian, Ubuntu   sudo apt-get update && sudo apt-get install nats-server
  macOS            brew install nats-server
  Windows          scoop install nats-server   (or: choco install nats-server)
  any other        https://github.com/nats-io/nats-server/releases, put on the PATH
Or name one that runs somewhere, with JetStream and the users of deploy/nats/nats.conf, by NATS_URL and
NATS_<USER>_PASSWORD. With Docker, "docker compose up" runs the whole system without it.`;

/**
 * Takes the distribution's package, its signature checked by apt, and unpacks the one file to `target`.
 * Not `apt-get install`: that needs root and starts a nats-server with every boot.
 */
export const fromDebian = async (target, moreOptions = []) => {
  const folder = mkdtempSync(join(tmpdir(), 'teaching-apt-'));
  try {
    const options = [...aptOptions(folder), ...moreOptions];
    await run('apt-get', [...options, 'update'], { cwd: folder });
    await run('apt-get', [...options, 'download', 'nats-server'], { cwd: folder });
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
    await run('dpkg-deb', ['-x', archive, 'unpacked'], { cwd: folder });
    const half = `${target}.${process.pid}`;
    copyFileSync(join(folder, 'unpacked/usr/sbin/nats-server'), half);
    chmodSync(half, 0o755);
    renameSync(half, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Downloads a nats-server into the checkout if the system has packages for it, or explains what to do. */
export const fetchNatsServer = async () => {
  if (!existsSync('/usr/bin/apt-get')) throw new Error(ADVICE);
  const since = Date.now();
  printLine("nats-server: taking it from the distribution's packages ...");
  try {
    await fromDebian(OWN_NATS_SERVER);
  } catch (error) {
    throw new Error(`${error.message}\n\n${ADVICE}`, { cause: error });
  }
  printLine(`nats-server: ready after ${((Date.now() - since) / 1000).toFixed(1)} s`);
};
