import { parseArgs } from 'node:util';
import { PROCESSES } from '@teaching/local/settings.ts';
import { z } from 'zod';
import { SCENARIOS } from './scenarios.ts';

/** Measured first: the start and the idle system. */
const ALL = ['start', ...SCENARIOS] as const;

export const USAGE = `Usage: npm run bench [-- options]

Measures a system of its own, started from this checkout, by HTTP with autocannon: requests a second, times, and CPU of all
processes for each request, with what it causes after its answer.

  start            until it takes requests; memory and CPU while nothing happens
  w1               the 20 items of a package        my-lessons       a student's statistics of a month
  w2               edits the items of a package     teacher-detail   a teacher's
  w3               searches packages                timetable        a week of lessons across classes
  classes          20 classes of an organization    accounts         20 accounts of hours
  create           a class                          publish          copies a package and publishes the copy
  roll-call        of 30 students                   roll-call-rate   the same, until statistics have all of them
  lag              400 class changes a second: from the answer of one until statistics have stored it

A plain server, one process with Fastify and pg on the same tables, stands beside w1, w2 and w3.

  --against <r>       a release of CHANGELOG.md or a commit: measured in turn with this checkout, with 95 % intervals
  --only <list>       some of the above, by comma
  --small             a second for each, 16 connections, few rounds, little data; without start, lag and roll-call-rate
  --processes <list>  one, two, many: how many processes the system is (default many); several, by comma, are measured in turn
  --connections <n>   by comma (default 1,16,64)
  --seconds <n>       for each scenario, number of connections and contender (default 10)
  --json <file>       writes all results to a file, too

Examples:
  npm run bench -- --small
  npm run bench -- --against 0.2.0
  npm run bench -- --only w1,w2 --connections 64 --seconds 5
  npm run bench -- --only start --processes one,many

CPU is read from /proc, so this needs Linux. Checkouts of other commits stay in .local/bench. Ctrl-C stops it at any
time and leaves nothing running.`;

const list = z.string().transform((text) => text.split(',').map((part) => part.trim()));
const LONG: readonly string[] = ['start', 'lag', 'roll-call-rate'];
const USUAL = { only: [...ALL], connections: [1, 16, 64], seconds: 10 };
const SMALL = { only: ALL.filter((name) => !LONG.includes(name)), connections: [16], seconds: 1 };

const Given = z.object({
  against: z.string().optional(),
  only: list.pipe(z.array(z.enum(ALL))).optional(),
  connections: list.pipe(z.array(z.string().pipe(z.coerce.number<string>().int().min(1).max(500)))).optional(),
  processes: list.pipe(z.array(z.enum(PROCESSES)).min(1)).default(['many']),
  seconds: z.coerce.number().min(1).max(3_600).optional(),
  small: z.boolean().default(false),
  json: z.string().optional(),
});
export type Options = Omit<z.infer<typeof Given>, keyof typeof USUAL> & typeof USUAL;

/** Reads `--name value` for each option of a shape, and `--name` where the value is yes or no; throws a message to show. */
export const readArguments = <T extends z.ZodObject>(shape: T, args: readonly string[]): z.output<T> | 'help' => {
  const fields: Record<string, z.ZodType> = shape.shape;
  const isFlag = (it: z.ZodType): boolean => it.safeParse(true).data === true;
  const options = Object.fromEntries(
    [...Object.entries(fields), ['help', z.boolean()] as const].map(([name, it]) => [
      name,
      { type: isFlag(it) ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const values: Record<string, unknown> = parseArgs({ args: [...args], options }).values;
  if (values['help'] === true) return 'help';
  const parsed = shape.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new TypeError(parsed.error.issues.map(({ path, message }) => `--${String(path[0])}: ${message}`).join('\n'));
};

export const readOptions = (args: readonly string[]): Options | 'help' => {
  const given = readArguments(Given, args);
  if (given === 'help') return given;
  const { only, connections, seconds } = given.small ? SMALL : USUAL;
  return {
    ...given,
    only: given.only ?? only,
    connections: given.connections ?? connections,
    seconds: given.seconds ?? seconds,
  };
};
