import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import type { Env } from '../../../libs/kit/src/index.ts';
import { UsageError } from './exit.ts';
import { PROCESSES, type ProcessName } from '../doctor/installation.ts';

export type Processes = ReadonlyMap<ProcessName, Env>;

const Name = z.enum(PROCESSES);

const contentOf = async (file: string): Promise<string> => {
  if (file === '-') return text(process.stdin);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read`, { cause: error });
  }
};

/** `<process>=<file>`, each file with a variable a line. */
export const fromFiles = async (given: readonly string[]): Promise<Processes> => {
  const read = given.map(async (one) => {
    const [, name, file = ''] = /^([^=]+)=(.+)$/.exec(one) ?? [];
    const known = Name.safeParse(name);
    if (!known.success)
      throw new UsageError(`--env must be <process>=<file>, a process is one of ${PROCESSES.join(', ')}`);
    return [known.data, parseEnv(await contentOf(file))] as const;
  });
  return new Map(await Promise.all(read));
};

const Value = z.union([z.string(), z.number(), z.boolean(), z.null()]).transform((value) => String(value ?? ''));
const Compose = z.object({
  services: z.record(z.string(), z.object({ environment: z.record(z.string(), Value).nullish() })),
});

const jsonOf = (content: string): unknown => {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
};

/** What `docker compose config --format json` prints, from a file or from stdin (`-`). */
export const fromCompose = async (file: string): Promise<Processes> => {
  const read = Compose.safeParse(jsonOf(await contentOf(file)));
  if (!read.success) throw new UsageError('--compose must be what "docker compose config --format json" prints');
  const known = Object.entries(read.data.services).flatMap(([name, { environment }]) => {
    const process = Name.safeParse(name);
    return process.success ? [[process.data, environment ?? {}] as const] : [];
  });
  return new Map(known);
};

const named = (env: Env): ProcessName | undefined =>
  Name.safeParse(env['NATS_USER']).data ?? (env['DATABASE_ADMIN_URL'] ? 'migrate' : undefined);

/** The process whose environment this is, else those of the local system. */
export const fromEnvironment = async (env: Env): Promise<Processes> => {
  const own = named(env);
  if (own !== undefined) return new Map([[own, env]]);
  const { localProcesses } = await import('@teaching/local/local-processes.ts');
  const found = localProcesses(env);
  if (found === undefined)
    throw new UsageError(
      'Nothing to examine: use --env or --compose, run it in the environment of a process, or start the local system',
    );
  return new Map([...found].map(([name, one]) => [Name.parse(name), one]));
};
