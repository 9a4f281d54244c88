import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How Postgres' own programs are found and what they are told; they take libpq's variables (PGHOST, PGUSER, PGPASSFILE, …). */
export interface Programs {
  /** Their folder; else they are on the PATH. */
  folder?: string | undefined;
  /** The server's program, where it lies elsewhere. */
  server?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
}

/** A password in a file is read when it is used, so it may be exchanged meanwhile. */
const environment = ({ env }: Programs): Record<string, string | undefined> => {
  const file = env['PGPASSWORD_FILE'];
  const password = file === undefined || file === '' ? {} : { PGPASSWORD: readFileSync(file, 'utf8').trim() };
  return { ...env, ...password, LC_ALL: 'C', PGAPPNAME: 'backup' };
};

export const launch = (
  programs: Programs,
  name: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess =>
  spawn(programs.folder === undefined ? name : join(programs.folder, name), args, {
    ...options,
    env: environment(programs),
  });

/** The last lines of what a program says, as it goes. */
export const wordsOf = (child: ChildProcess): (() => string) => {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (more: string) => {
    said = (said + more).slice(-4_000);
  });
  return () => said.trim();
};

/** Resolves when a program ended well; else throws with what it said. */
export const ended = async (child: ChildProcess, name: string, words: () => string): Promise<void> => {
  const [code, signal] = await once(child, 'close').catch((error: unknown) => {
    throw new Error(`${name} cannot be run: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  });
  if (code !== 0) throw new Error(`${name} ended with ${code ?? signal}: ${words() || 'it said nothing'}`);
};

/** Runs a program to its end and answers what it printed. */
export const run = async (programs: Programs, name: string, args: readonly string[]): Promise<string> => {
  const child = launch(programs, name, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  child.stdout?.setEncoding('utf8').on('data', (more: string) => {
    printed += more;
  });
  await ended(child, name, wordsOf(child));
  return printed.trim();
};
