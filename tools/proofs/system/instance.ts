import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { exitedWithin, hasExited } from '@teaching/local/child.ts';
import { startProgram } from '@teaching/local/program.ts';
import type { Env } from '@teaching/local/service-env.ts';
import { familyOf, signal } from './process-family.ts';

/** How a process ended, and how long after it was told to. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  ms: number;
}

/** One instance of a service, or the gateway, as a process of its own. */
export interface Instance {
  /** `clazz-1`: the service, and which of its instances. */
  name: string;
  service: string;
  /** Where it tells of its health; the gateway answers everything there. */
  address: string;
  /** What it is started with, unless configured otherwise. */
  env: Env;
  /** What the next starts have besides; nothing: as usual. */
  configure: (more: Env) => void;
  /** Whose code the next starts run. */
  use: (checkout: string) => void;
  /** Behind a program that runs it, if one is given. */
  start: (behind?: readonly string[]) => void;
  isRunning: () => boolean;
  pid: () => number | undefined;
  /** SIGTERM, and how it ended; `undefined` if it still runs after so long. */
  stop: (within: number) => Promise<Exit | undefined>;
  /** SIGKILL: no handler runs, no connection is closed in order. */
  kill: () => Promise<void>;
  freeze: () => void;
  thaw: () => void;
  /** Everything it has printed, over all its starts. */
  log: () => string;
  /** What it has printed since its last start. */
  said: () => string;
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
  let before = 0;
  let isBehind = false;
  const isRunning = (): boolean => child !== undefined && !hasExited(child);
  const log = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  return {
    name,
    service,
    address,
    env,
    configure: (wanted) => void (more = wanted),
    use: (wanted) => void (checkout = wanted),
    start: (behind = []) => {
      if (isRunning()) return;
      isBehind = behind.length > 0;
      before = existsSync(file) ? statSync(file).size : 0;
      const main = join(checkout, 'services', service, 'src', 'main.ts');
      const [program, ...words] = [...behind, process.execPath, main];
      const all = { PATH: process.env['PATH'], ...env, ...more };
      child = startProgram(program, words, { cwd: checkout, env: all, logFile: file }).child;
    },
    isRunning,
    pid: () => (isRunning() ? child?.pid : undefined),
    stop: async (within) => {
      if (child === undefined) return undefined;
      const [stopping, since] = [child, Date.now()];
      const pid = stopping.pid ?? 0;
      signal((isBehind ? familyOf(pid)[1] : undefined) ?? pid, 'SIGTERM');
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
    said: () => Buffer.from(log()).subarray(before).toString(),
  };
};
