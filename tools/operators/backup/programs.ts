import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished, Readable, Writable } from 'node:stream';

/** Where Postgres' programs are, and their environment: libpq's variables (PGHOST, PGUSER, PGPASSFILE, …). */
export interface Programs {
  /** Their folder; by default the PATH. */
  folder?: string | undefined;
  /** The server's program, if it is elsewhere. */
  server?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
}

/** A password file is read at each use, so it may be exchanged. */
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

/** Collects the last lines of a program's output. */
export const wordsOf = (child: ChildProcess): (() => string) => {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (more: string) => {
    said = (said + more).slice(-4_000);
  });
  return () => said.trim();
};

/** Resolves when a program ended with 0; otherwise throws an error with its output. */
export const ended = async (child: ChildProcess, name: string, words: () => string): Promise<void> => {
  const [code, signal] = await once(child, 'close').catch((error: unknown) => {
    throw new Error(`${name} cannot be run: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  });
  if (code !== 0) throw new Error(`${name} ended with ${code ?? signal}: ${words() || 'no output'}`);
};

const failureOf = async (end: Promise<void>): Promise<Error | undefined> => {
  try {
    await end;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
};

/**
 * The input of a program, as a stream that fails only when the program fails; `end` is what `ended` returned.
 *
 * A program may succeed without reading all of its input: tar stops at the end mark of its archive. Node destroys the stdin of a
 * child that exited, so a pipeline into stdin itself fails with a premature close whenever the exit is noticed first. Here the
 * rest of the input is dropped, and the exit code decides.
 */
export const inputOf = ({ stdin }: ChildProcess, end: Promise<void>): Writable => {
  if (stdin === null) throw new Error('the program has no input');
  const settle = async (error: Error | null | undefined, done: (error?: Error) => void): Promise<void> => {
    const failure = error ? await failureOf(end) : undefined;
    done(failure);
  };
  stdin.on('error', () => undefined);
  return new Writable({
    write: (chunk, _encoding, done) => {
      stdin.write(chunk, (error) => void settle(error, done));
    },
    final: (done) => {
      // The callback of `end` is not called for a stream that is already destroyed.
      finished(stdin, { readable: false }, (error) => void settle(error, done));
      stdin.end();
    },
    destroy: (error, done) => {
      stdin.destroy();
      done(error);
    },
  });
};

/** The output of a program. It ends only after the program succeeded, and fails with the program's error otherwise. */
export const outputOf = ({ stdout }: ChildProcess, end: Promise<void>): Readable => {
  if (stdout === null) throw new Error('the program has no output');
  const read = async function* (): AsyncGenerator<Buffer> {
    yield* stdout;
    await end;
  };
  return Readable.from(read());
};

/** Runs a program to its end and returns its output. */
export const run = async (programs: Programs, name: string, args: readonly string[]): Promise<string> => {
  const child = launch(programs, name, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  child.stdout?.setEncoding('utf8').on('data', (more: string) => {
    printed += more;
  });
  await ended(child, name, wordsOf(child));
  return printed.trim();
};
