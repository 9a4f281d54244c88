import { z } from 'zod';
import { dataDirFrom } from './data-dir.ts';
import type { Env } from './service-env.ts';

const Schema = z.object({
  PORT: z
    .stringFormat(
      'port',
      (text) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535,
      'must be a number from 1 to 65535',
    )
    .transform(Number)
    .default(8080),
  /** Only this machine by default: the demo tokens are no secret to somebody who can read the screen. */
  HOST: z.string().default('127.0.0.1'),
  /**
   * `one`: everything in the runner's process, the least memory. `two`: the gateway apart, which uses two
   * cores and still little memory. `many`: a process for each, as in production.
   */
  PROCESSES: z.enum(['one', 'two', 'many']).default('two'),
});

export type Settings = { port: number; host: string; processes: 'one' | 'two' | 'many'; dataDir: string };

/** Reads the runner's own settings; an empty variable counts as not set. Throws a message to show. */
export const settingsFrom = (env: Env): Settings => {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Schema.safeParse(given);
  if (!parsed.success)
    throw new Error(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
  const { PORT, HOST, PROCESSES } = parsed.data;
  return { port: PORT, host: HOST, processes: PROCESSES, dataDir: dataDirFrom(env) };
};
