import { PROCESSES } from '@teaching/local/settings.ts';
import { z } from 'zod';
import { readArguments } from '../arguments.ts';
import { ABOUT, type Flood, FLOODS } from './floods.ts';
import { CROWDS } from './user.ts';

const ALL = [...FLOODS, ...CROWDS] as const;

const widest = Math.max(...ALL.map((name) => name.length)) + 2;
const lineOf = (name: Flood): string => `  ${name.padEnd(widest)}${ABOUT[name]}`;

export const USAGE = `Usage: npm run bench:guard [-- options]

Measures on a system of its own, started from this checkout, what strangers and crowds cost those who are let in.

Strangers, over 500 connections from one address: what the gateway's memory, the database and somebody else notice.
${FLOODS.map(lineOf).join('\n')}

Crowds: an organization that asks without end over 64 connections, and what somebody of another one notices.
  ${'w1'.padEnd(widest)}the 20 items of a package
  ${'w2'.padEnd(widest)}edits the items of a package
  ${'w3'.padEnd(widest)}searches packages

  --against <r>       a release of CHANGELOG.md or a commit: measured in turn with this checkout
  --only <list>       some of the above, by comma
  --processes <n>     one, two or many that the system is (default many); of one, all of its memory is told
  --connections <n>   of strangers (default 500)
  --seconds <n>       for each round of three, alone and beside (default 5)
  --json <file>       writes all results to a file, too

Examples:
  npm run bench:guard
  npm run bench:guard -- --only bad-tokens,health --against bb718a2

Memory is read from /proc, so this needs Linux. Ctrl-C stops it at any time and leaves nothing running.`;

const Shape = z.object({
  against: z.string().optional(),
  only: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(z.enum(ALL)))
    .default([...ALL]),
  processes: z.enum(PROCESSES).default('many'),
  connections: z.coerce.number().int().min(1).max(1_000).default(500),
  seconds: z.coerce.number().min(1).max(600).default(5),
  json: z.string().optional(),
});
export type Options = z.infer<typeof Shape>;

/** What is asked for; throws a message to show. */
export const readOptions = (args: readonly string[]): Options | 'help' => readArguments(Shape, args);
