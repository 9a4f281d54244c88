import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { hasExited, stopChild } from '@teaching/local/child.ts';
import { tail } from '@teaching/local/file.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Undo } from '@teaching/local/runner.ts';
import type { Processes } from '@teaching/local/settings.ts';
import { nodeOf, optionsOf, pathWithNats } from './checkout.ts';

/** A shell's variables that would make the system another than it is by itself. */
const NOT_HANDED_ON =
  /^(npm_|NATS_|DATABASE_|OTEL_|JWT_|JWKS_|SERVICES_DIR$|NODE_OPTIONS$|CHECK_REPLIES$|CONCURRENCY$)/;

const inherited = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_HANDED_ON.test(name)));

const environment = ({ dataDir, port, processes }: Place, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...inherited(),
  PATH: pathWithNats(),
  DATA_DIR: dataDir,
  HOST: '127.0.0.1',
  PORT: String(port),
  PROCESSES: processes,
  // Nothing but what is measured runs and is stored.
  DEMO: 'off',
  CONSOLE: 'off',
  RATE_LIMIT: '100000000',
  LOG_LEVEL: 'warn',
  // Makes the runner stop when we are gone, in whatever way.
  npm_lifecycle_event: 'bench',
  ...more,
});

const isReady = (address: string): Promise<boolean> =>
  fetch(`${address}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );

const untilReady = async (child: ChildProcess, address: string): Promise<void> => {
  const deadline = Date.now() + 120_000;
  while (!(await isReady(address))) {
    if (hasExited(child)) throw new Error('it ended');
    if (Date.now() > deadline) throw new Error('it does not get ready');
    await sleep(50);
  }
};

export interface Place {
  checkout: string;
  dataDir: string;
  port: number;
  processes: Processes;
  undo: Undo;
}

/** Something that runs, until it is stopped or undone. */
export interface Started {
  pid: number;
  stop: () => Promise<void>;
}

/** A system that takes requests. */
export interface Ready extends Started {
  /** How long that took. */
  readyMs: number;
}

/** Runs a checkout's own runner, as `npm start` does. In a group of its own, so that Ctrl-C reaches only us and we stop things in order. */
export const startRunner = async (place: Place, more: NodeJS.ProcessEnv = {}): Promise<Ready> => {
  const { checkout, dataDir, port, undo } = place;
  const began = performance.now();
  const logFile = join(dataDir, 'runner.log');
  const output = openSync(logFile, 'a', 0o600);
  const child = spawn(nodeOf(checkout), [...optionsOf(checkout), 'tools/start.ts'], {
    cwd: checkout,
    env: environment(place, more),
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  child.once('error', () => undefined);
  const stop = () =>
    stopChild(child, [
      ['SIGTERM', 30_000],
      ['SIGKILL', 1_000],
    ]);
  undo(stop);
  try {
    await untilReady(child, `http://127.0.0.1:${port}`);
  } catch (error) {
    await stop();
    throw new Error(`The system in ${checkout} did not start (${String(error)}):\n${tail(logFile, 15)}`, {
      cause: error,
    });
  }
  return { pid: child.pid ?? 0, stop, readyMs: performance.now() - began };
};
