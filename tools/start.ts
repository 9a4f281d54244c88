import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { tolerateOutputErrors } from '../libs/kit/src/telemetry/output-errors.ts';
import { makeSchool } from '@teaching/local/demo-school.ts';
import { printNote, printLine } from '@teaching/local/console-output.ts';
import { run } from '@teaching/local/runner.ts';
import { settingsFrom } from '@teaching/local/settings.ts';
import { undoList } from '@teaching/local/undo-list.ts';
import { welcome } from '@teaching/local/welcome.ts';

/** For trying the runner itself with other services. */
const SERVICES_DIR = process.env['SERVICES_DIR'] ?? fileURLToPath(new URL('../services', import.meta.url));

/** The terminal and npm may both hand on one and the same Ctrl-C. */
const SAME_PRESS_MS = 300;

tolerateOutputErrors();
const undo = undoList();
let stoppingSince: number | undefined;

/** Stops in order. The second time, exits at once: servers and services notice and end too. */
const stop = async (why: string, exitCode: number): Promise<void> => {
  if (stoppingSince !== undefined) {
    if (Date.now() - stoppingSince > SAME_PRESS_MS) process.exit(130);
    return;
  }
  stoppingSince = Date.now();
  if (exitCode === 0) printLine(`\n${why}: stopping`);
  else printNote(why);
  await undo.run();
  process.exit(exitCode);
};

/** npm passes SIGTERM to its shell, which dies without a word to us: we get another parent. */
const stopWithParent = async (): Promise<void> => {
  const parent = process.ppid;
  while (process.ppid === parent) await sleep(500, undefined, { ref: false });
  await stop('npm is gone', 0);
};

const main = async (): Promise<void> => {
  const settings = settingsFrom(process.env);
  const { keys, broken } = await run({
    settings,
    servicesDir: SERVICES_DIR,
    env: process.env,
    undo: undo.add,
  });
  printLine(welcome(settings, keys, process.uptime().toFixed(1)));
  if (settings.demo) undo.add(makeSchool(process.env));
  const why = await broken;
  if (stoppingSince === undefined) await stop(why, 1);
};

process.on('SIGINT', () => void stop('Ctrl-C', 0));
process.on('SIGTERM', () => void stop('SIGTERM', 0));
process.on('SIGHUP', () => void stop('terminal closed', 0));
if (process.env['npm_lifecycle_event']) void stopWithParent();

main().catch((error: unknown) => stop(error instanceof Error ? error.message : String(error), 1));
