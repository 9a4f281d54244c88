import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitedWithin, hasExited } from '@teaching/local/child.ts';
import { leash } from '@teaching/local/leash.ts';
import type { Env } from '@teaching/local/service-env.ts';

/** One instance of a service, or the gateway, as a process of its own. */
export interface Instance {
  /** `clazz-1`: the service, and which of its instances. */
  name: string;
  service: string;
  start: () => void;
  isRunning: () => boolean;
  /** SIGKILL: no handler runs, no connection is closed in order. */
  kill: () => Promise<void>;
  freeze: () => void;
  thaw: () => void;
  /** Everything it has printed, over all its starts. */
  log: () => string;
}

export interface InstanceOptions {
  name: string;
  service: string;
  checkout: string;
  env: Env;
  logDir: string;
}

const launch = ({ name, service, checkout, env, logDir }: InstanceOptions): ChildProcess => {
  const output = openSync(join(logDir, `${name}.log`), 'a');
  const main = join(checkout, 'services', service, 'src', 'main.ts');
  const child = spawn(process.execPath, [main], {
    cwd: checkout,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  child.once('error', () => undefined);
  leash(child, 'TERM');
  return child;
};

export const createInstance = (options: InstanceOptions): Instance => {
  const file = join(options.logDir, `${options.name}.log`);
  let child: ChildProcess | undefined;
  const isRunning = (): boolean => child !== undefined && !hasExited(child);
  return {
    name: options.name,
    service: options.service,
    start: () => {
      if (!isRunning()) child = launch(options);
    },
    isRunning,
    kill: async () => {
      if (child === undefined || hasExited(child)) return;
      child.kill('SIGKILL');
      await exitedWithin(child, 10_000);
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    log: () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
  };
};
