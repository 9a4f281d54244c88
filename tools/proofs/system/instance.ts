import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { exitedWithin, hasExited } from '@teaching/local/child.ts';
import { startProgram } from '@teaching/local/program.ts';
import type { Env } from '@teaching/local/service-env.ts';
import { familyOf, signal } from './process-family.ts';

/** How a process ended, and milliseconds since the stop signal. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  ms: number;
}

/** An instance of a service, or a gateway, as a separate process. */
export interface Instance {
  /** Service and number of the instance, for example `clazz-1`. */
  name: string;
  service: string;
  /** Address of its health checks; for a gateway, of its API too. */
  address: string;
  /** The environment of each start, unless `configure` changes it. */
  env: Env;
  /** Sets additional environment variables for the next starts; `{}` removes them. */
  configure: (more: Env) => void;
  /** Sets the checkout whose code the next starts run. */
  useCheckout: (checkout: string) => void;
  /** Starts it, optionally through a program that runs it, given with its arguments. */
  start: (behind?: readonly string[]) => void;
  isRunning: () => boolean;
  pid: () => number | undefined;
  /** Sends SIGTERM and returns how it ended; `undefined` when it still runs after `within` ms. */
  stop: (within: number) => Promise<Exit | undefined>;
  /** Sends SIGKILL, so no handler runs and no connection is closed cleanly. */
  kill: () => Promise<void>;
  freeze: () => void;
  thaw: () => void;
  /** The output of all its starts. */
  log: () => string;
  /** The output since its last start. */
  logSinceStart: () => string;
}

export interface InstanceOptions {
  name: string;
  service: string;
  address: string;
  checkout: string;
  env: Env;
  logDir: string;
}

export const createInstance = (options: InstanceOptions): Instance => {
  const { name, service, address, env } = options;
  const file = join(options.logDir, `${name}.log`);
  let child: ChildProcess | undefined;
  let more: Env = {};
  let { checkout } = options;
  let logStart = 0;
  let isWrapped = false;
  const isRunning = (): boolean => child !== undefined && !hasExited(child);
  const log = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  return {
    name,
    service,
    address,
    env,
    configure: (variables) => void (more = variables),
    useCheckout: (folder) => void (checkout = folder),
    start: (wrapper = []) => {
      if (isRunning()) return;
      isWrapped = wrapper.length > 0;
      logStart = existsSync(file) ? statSync(file).size : 0;
      const main = join(checkout, 'services', service, 'src', 'main.ts');
      const [program, ...args] = [...wrapper, process.execPath, main];
      const all = { PATH: process.env['PATH'], ...env, ...more };
      child = startProgram(program, args, { cwd: checkout, env: all, logFile: file }).child;
    },
    isRunning,
    pid: () => (isRunning() ? child?.pid : undefined),
    stop: async (within) => {
      if (child === undefined) return undefined;
      const [stopping, since] = [child, Date.now()];
      const pid = stopping.pid ?? 0;
      signal((isWrapped ? familyOf(pid)[1] : undefined) ?? pid, 'SIGTERM');
      if (!(await exitedWithin(stopping, within))) return undefined;
      return { code: stopping.exitCode, signal: stopping.signalCode, ms: Date.now() - since };
    },
    kill: async () => {
      if (child === undefined || hasExited(child)) return;
      child.kill('SIGKILL');
      await exitedWithin(child, 10_000);
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    log,
    logSinceStart: () => Buffer.from(log()).subarray(logStart).toString(),
  };
};
