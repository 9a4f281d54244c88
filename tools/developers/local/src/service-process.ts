import { fork, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Running } from '@teaching/kit';
import { OLD_SPACE_FLAG } from '@teaching/kit/program';
import { stopChild } from './child.ts';
import type { Env } from './service-env.ts';

export type ServiceSpec = {
  name: string;
  mainFile: string;
  env: Env;
  log: (line: string) => void;
};

const BOOTSTRAP = fileURLToPath(new URL('./service-main.ts', import.meta.url));

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** Having run this long, a service counts as healthy, and the next pause is short again. */
const HEALTHY_MS = 30_000;

/**
 * Objects that survive a few collections make V8 enlarge the young space, up to 128 MiB, for good; a flood of waiting requests is
 * enough for that. The image has the same option, and its programs set the other one themselves.
 */
export const HEAP = ['--max-semi-space-size=16', OLD_SPACE_FLAG];

const launch = ({ mainFile, env }: ServiceSpec): ChildProcess =>
  fork(BOOTSTRAP, [mainFile], {
    execArgv: HEAP,
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

const exitOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`)));

const readyOrGone = async (child: ChildProcess, name: string): Promise<void> => {
  const ready = new Promise<undefined>((resolve) => child.once('message', () => resolve(undefined)));
  const gone = await Promise.race([ready, exitOf(child)]);
  if (gone !== undefined) throw new Error(`The service "${name}" ended while starting (${gone}).`);
};

/**
 * Runs a service in its own process and restarts it after a growing pause whenever it ends unexpectedly. Resolves when it is ready;
 * rejects when the first start fails.
 */
export const startServiceProcess = async (spec: ServiceSpec): Promise<Running> => {
  let child = launch(spec);
  let stopping = false;

  const keepRunning = async (): Promise<void> => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const since = Date.now();
      const how = await exitOf(child);
      if (stopping) return;
      if (Date.now() - since > HEALTHY_MS) pause = FIRST_PAUSE_MS;
      spec.log(`the service "${spec.name}" ended (${how}), starting it again in ${pause} ms`);
      await sleep(pause);
      if (stopping) return;
      child = launch(spec);
    }
  };

  await readyOrGone(child, spec.name);
  void keepRunning();
  return {
    stop: async () => {
      stopping = true;
      await stopChild(child, [
        ['SIGTERM', 4_000],
        ['SIGKILL', 1_000],
      ]);
    },
  };
};
