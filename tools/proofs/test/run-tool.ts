import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '@teaching/local/compile-cache.ts';
import { afterEach } from 'vitest';

export interface ProcessResult {
  code: number | null;
  out: string;
  err: string;
}

export interface LaunchedProcess {
  child: ChildProcess;
  /** The output so far. */
  out: () => string;
  ended: Promise<ProcessResult>;
}

const running = new Set<ChildProcess>();
/** Kills processes that a failed test left. */
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts Node with these arguments and only this environment, besides PATH and the compile cache. */
export const launch = (args: readonly string[], env: NodeJS.ProcessEnv): LaunchedProcess => {
  const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'], ...COMPILE_CACHE, ...env } });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  running.add(child);
  child.on('exit', () => running.delete(child));
  const ended = new Promise<ProcessResult>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
  return { child, out: () => out, ended };
};

/** Path of a file in the checkout. */
export const inCheckout = (file: string): string => fileURLToPath(new URL(`../../../${file}`, import.meta.url));

/** Runs a command of `tools/cli.ts` to its end. */
export const runCli = (command: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<ProcessResult> =>
  launch([inCheckout('tools/cli.ts'), ...command.split(' '), ...args], env).ended;

/** Runs a program in `tools` to its end. */
export const runTool = (tool: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<ProcessResult> =>
  launch([inCheckout(`tools/${tool}`), ...args], env).ended;
