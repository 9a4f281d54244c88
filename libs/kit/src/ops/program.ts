import { basename, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { reasonOf } from '../telemetry/failure-log.ts';
import { logOutput } from '../telemetry/log-output.ts';
import { tolerateOutputErrors } from '../telemetry/output-errors.ts';
import type { Env } from './config-error.ts';
import { oneLine, printStartError } from './print-start-error.ts';
import { releaseMemoryAfterStart } from './idle-memory.ts';
import type { Running } from './start-service.ts';

// Signals are handled from the first line: nothing that takes time to load is imported here.

/**
 * By default V8 marks old objects whenever they grew by a tenth: every five seconds at 400 changes a second, with all
 * cores for 50 ms that requests wait for. With this flag it waits until they are three times as many, and collects when
 * the process is idle. The flag is not allowed in `NODE_OPTIONS`.
 */
export const OLD_SPACE_FLAG = '--heap-growing-percent=200';

/**
 * Time for work in progress after the process was told to stop, in milliseconds. A supervisor should wait a little
 * longer.
 */
export const STOP_MS = 25_000;
/** Time after which a start that was told to stop is aborted, in milliseconds. */
const ABORT_START_MS = 2_000;

/** Starts the work of a program. `stop` is aborted if the program is told to stop during the start. */
export type Start = (env: Env, stop: AbortSignal) => Promise<Running>;

export interface ProgramOptions {
  /** Calls `stop` when the process is to stop; by default on SIGTERM and SIGINT. */
  stopOn?: (stop: () => void) => void;
  stop_ms?: number;
}

const onSignals = (stop: () => void): void => {
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};

/** Writes the last line in the format of the logger, which may not be loaded yet. */
const writeLastLine = (name: string, why: string, error?: unknown): void => {
  const err = error instanceof Error ? { type: error.name, message: error.message, stack: error.stack } : undefined;
  const line = { level: 'fatal', time: Date.now(), name, service: name, err, msg: oneLine(why) };
  logOutput.write(`${JSON.stringify(line)}\n`);
};

/**
 * Runs this process as a program. It exits with 0 after it was told to stop, also during the start. It exits with 1 if
 * it cannot start, fails, or does not stop in time. Resolves when it has started.
 */
export const runProgram = async (name: string, start: Start, options: ProgramOptions = {}): Promise<void> => {
  const { stopOn = onSignals, stop_ms = STOP_MS } = options;
  tolerateOutputErrors();
  setFlagsFromString(OLD_SPACE_FLAG);
  releaseMemoryAfterStart();
  const stopping = new AbortController();
  let running: Running | undefined;
  const fail = (why: string, error?: unknown): never => {
    writeLastLine(name, why, error);
    process.exit(1);
  };
  const stopRunning = (one: Running): void => {
    setTimeout(() => fail(`the process did not stop within ${stop_ms / 1_000} s`), stop_ms);
    one.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(`the process could not stop cleanly: ${reasonOf(error)}`, error),
    );
  };
  stopOn(() => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    if (running === undefined) setTimeout(() => process.exit(0), ABORT_START_MS);
    else stopRunning(running);
  });
  // Unhandled rejections arrive here too.
  process.on('uncaughtException', (error) => fail(`uncaught error: ${reasonOf(error)}`, error));
  try {
    running = await start(process.env, stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted) process.exit(0);
    printStartError('cannot start', error, process.env);
    process.exit(1);
  }
  if (stopping.signal.aborted) stopRunning(running);
  void running.failed?.then((error) => fail(error.message));
};

/** Runs `start` as a program if the module is the main module and not imported by another. */
export const runAsProgram = async (moduleUrl: string, start: Start): Promise<void> => {
  const program = process.argv[1];
  if (program === undefined || moduleUrl !== pathToFileURL(program).href) return;
  // services/<name>/src/main.ts
  await runProgram(basename(resolve(fileURLToPath(moduleUrl), '../..')), start);
};
