import { basename, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { reasonOf } from '../telemetry/failure-log.ts';
import type { Env } from './config-error.ts';
import { oneLine, printStartError } from './print-start-error.ts';
import { releaseMemoryAfterStart } from './idle-memory.ts';
import type { Running } from './start-service.ts';

// Signals are heard from the first line: nothing is imported here that takes time to load.

/**
 * Left to itself, a process that does little looks through its old objects each time that there is a tenth more of them: every five
 * seconds at 400 changes a second, on all cores for 50 ms, in which others wait. With this it waits until there are three
 * times as many, and tidies up when it stands still. It cannot stand in `NODE_OPTIONS`.
 */
export const OLD_SPACE_FLAG = '--heap-growing-percent=200';

/** What is under way when the process is told to stop gets this long; a supervisor should wait a little longer. */
export const STOP_MS = 25_000;
/** A start is given up within this, whatever it waits for. */
const GIVE_UP_MS = 2_000;

/** Starts what the program is for; `stop` is aborted when it is told to stop before it has started. */
export type Start = (env: Env, stop: AbortSignal) => Promise<Running>;

export interface ProgramOptions {
  /** Has `stop` called when the process is to stop; by default on SIGTERM and SIGINT. */
  stopOn?: (stop: () => void) => void;
  stop_ms?: number;
}

const onSignals = (stop: () => void): void => {
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};

/** The last words, as a logger would write them; but they are written when this returns, since the process ends. */
const lastLine = (name: string, why: string, error?: unknown): void => {
  const err = error instanceof Error ? { type: error.name, message: error.message, stack: error.stack } : undefined;
  console.log(JSON.stringify({ level: 'fatal', time: Date.now(), name, service: name, err, msg: oneLine(why) }));
};

/**
 * Runs this process as a program. It exits with 0 when it was told to stop and did, also while it was starting; with 1
 * when it cannot start, fails, or does not come to its end. Resolves when it has started.
 */
export const runProgram = async (name: string, start: Start, options: ProgramOptions = {}): Promise<void> => {
  const { stopOn = onSignals, stop_ms = STOP_MS } = options;
  setFlagsFromString(OLD_SPACE_FLAG);
  releaseMemoryAfterStart();
  const told = new AbortController();
  let running: Running | undefined;
  const fail = (why: string, error?: unknown): never => {
    lastLine(name, why, error);
    process.exit(1);
  };
  const stopRunning = (one: Running): void => {
    setTimeout(() => fail(`it did not stop within ${stop_ms / 1_000} s`), stop_ms);
    one.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(`it could not stop in order: ${reasonOf(error)}`, error),
    );
  };
  stopOn(() => {
    if (told.signal.aborted) return;
    told.abort();
    if (running === undefined) setTimeout(() => process.exit(0), GIVE_UP_MS);
    else stopRunning(running);
  });
  // A rejection that nobody handles comes here, too.
  process.on('uncaughtException', (error) => fail(`nobody caught: ${reasonOf(error)}`, error));
  try {
    running = await start(process.env, told.signal);
  } catch (error) {
    if (told.signal.aborted) process.exit(0);
    printStartError('cannot start', error, process.env);
    process.exit(1);
  }
  if (told.signal.aborted) stopRunning(running);
  void running.failed?.then((error) => fail(error.message));
};

/** Runs `start` as a program when the module is the program itself, and not imported by another. */
export const runAsProgram = async (moduleUrl: string, start: Start): Promise<void> => {
  const program = process.argv[1];
  if (program === undefined || moduleUrl !== pathToFileURL(program).href) return;
  // services/<name>/src/main.ts
  await runProgram(basename(resolve(fileURLToPath(moduleUrl), '../..')), start);
};
