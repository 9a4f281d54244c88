import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { stopChild } from './child.ts';
import { stopWithParent } from './stop-with-parent.ts';
import type { SystemUser } from './postgres-user.ts';

/** A child program. It ends with its parent in any case. */
export interface Program {
  child: ChildProcess;
  /** The end of its output; empty if the output goes to a file. */
  output: () => string;
  /** SIGTERM, then SIGKILL. */
  stop: () => Promise<void>;
}

export interface ProgramOptions {
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** The system user that it runs as. */
  user?: SystemUser | undefined;
  /** A file that its output is appended to. */
  logFile?: string;
  /** In its own process group, so that Ctrl-C in the terminal does not reach it. */
  detached?: boolean;
  /** The signal that ends it in order. */
  end?: 'INT' | 'TERM';
}

const KEPT_OUTPUT = 100_000;
const STOP_MS = 5_000;

/** Starts a program; its caller finds out whether it could be started by looking whether it has exited. */
export const startProgram = (command: string, args: readonly string[], options: ProgramOptions): Program => {
  const { env, cwd, user, logFile, detached = false, end = 'TERM' } = options;
  const file = logFile === undefined ? undefined : openSync(logFile, 'a', 0o600);
  const output = file ?? 'pipe';
  const child = spawn(command, args, { ...user, env, cwd, detached, stdio: ['ignore', output, output] });
  if (file !== undefined) closeSync(file);
  child.once('error', () => undefined);
  stopWithParent(child, end);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-KEPT_OUTPUT)));
  return {
    child,
    output: () => printed,
    stop: () =>
      stopChild(child, [
        ['SIGTERM', STOP_MS],
        ['SIGKILL', STOP_MS],
      ]),
  };
};
