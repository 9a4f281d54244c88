import { PROCESSES } from '@teaching/local/settings.ts';
import { z } from 'zod';
import { readArguments } from './arguments.ts';

export const SCENARIOS = [
  'start',
  'bytes',
  'w1',
  'w2',
  'w3',
  'my-lessons',
  'teacher-detail',
  'made-anew',
  'timetable',
  'classes',
  'accounts',
  'create',
  'publish',
  'mixed',
  'roll-call',
  'lag',
  'roll-call-rate',
  'catch-up',
  'growth',
] as const;
export type Scenario = (typeof SCENARIOS)[number];

export const USAGE = `Usage: npm run bench [-- options]

Measures a system of its own, started from this checkout, by HTTP: requests a second, times, CPU of all processes
for each request, and the bytes a write leaves behind.

  w1               the 20 items of a package        my-lessons       a student's statistics of a month
  w2               edits the items of a package     teacher-detail   a teacher's
  w3               searches packages                roll-call        of 30 students, until statistics contain it
  lag              400 class changes a second: from the answer of one until statistics have stored it
  made-anew        both figures and w3 made each time, beside them kept; of this checkout only
  timetable        a week of 100 lessons in an org of 500, across classes; of this checkout only
  classes          20 classes of an org, with what a list of them shows
  accounts         20 accounts of hours of 540; of this checkout only
  create           a class
  publish          copies a package of 20 items and publishes the copy; of this checkout only
  mixed            what people of a school do on a day, 17 of 20 look at something; of this checkout only
  roll-call-rate   roll calls of 30 in statistics a second, with tables larger than the database's memory
  catch-up         roll calls of 30 that statistics take in a second after they were stopped, with such tables, too
  bytes            table, index and WAL of one w2 and one roll call
  growth           what w1, w2, w3, classes, accounts, timetable, my-lessons, teacher-detail and roll-call cost with 1, 10 and 100
                   schools of 100 students beside, lists at page 50, roll calls of 10, 30 and 100, packages of 20 and 200
                   items; only when named, with the first number of connections; three systems, which take 5 GB
  start            until it takes requests, and the memory it then holds

Two floors stand beside each read (w1, w3, my-lessons, teacher-detail, timetable, classes, accounts): its statements sent
straight to Postgres, and a plain server, one process with Fastify and pg, that sends them and answers the rows. They are
read from Postgres' own log while the system does some requests, so they are what it really sends; the record in the audit
trail that a list was read is not among them. Writes (w2, create, publish, roll-call) stand beside their transactions, sent
one statement after the other to a copy of the database as it was before, without what happens after the answer; not with
--small or --schools. w2 has the plain server, too, which decides for itself what to write.
w1, my-lessons and teacher-detail are asked again with nothing changed, so what is measured is kept by their services. The
floors of w1 read the items all the same, those of the others ask only whether what is kept is still true.

  --against <r>       a release of CHANGELOG.md or a commit: measured in turn with this checkout
  --only <list>       some of the above, by comma
  --small             most of the table in one to two minutes: a second for each, 16 connections, few rounds, fewer
                      organizations, teachers and accounts, and without what takes longer (made-anew, bytes, lag,
                      roll-call-rate, catch-up, the transactions of writes); whatever else is said beside it counts
  --processes <list>  one, two, many: how many processes the system is (default many); several, by comma, are measured in turn
  --connections <n>   by comma (default 1,16,64)
  --seconds <n>       for each scenario, number of connections and contender (default 10);
                      for catch-up, 200 roll calls in the backlog of each round stand for one
  --schools <n>       others beside those that are measured, each with 1,000 students, 10,000 lessons held with 100,000 marks,
                      50,000 entries of hours and 250 packages of 20 items; filled once for each state of the tables,
                      some seconds and 160 MB for each there (200: half an hour and 40 GB with Postgres' log), and used in
                      place: runs leave their own organizations in it. Two systems with the same tables get a copy each
  --plot <file>       where a page with all results as bars is written (default .local/bench/bench.html)
  --json <file>       writes all results to a file, too

Examples:
  npm run bench -- --small
  npm run bench -- --against 0.1.0
  npm run bench -- --only w1,w2 --connections 64 --seconds 5
  npm run bench -- --only w1 --processes one,many
  npm run bench -- --only bytes --against bb718a2 --json bytes.json

CPU is read from /proc, so this needs Linux. Checkouts of other commits stay in .local/bench. Ctrl-C stops it at any
time and leaves nothing running.`;

const list = z.string().transform((text) => text.split(',').map((part) => part.trim()));

/** What `--small` leaves out: four contenders, many writes, tables larger than memory, or a system that is warm. */
const LONG: readonly Scenario[] = ['made-anew', 'bytes', 'lag', 'roll-call-rate', 'catch-up'];
/** What is only measured when it is named. */
const NAMED: readonly Scenario[] = ['growth'];
const ALL = SCENARIOS.filter((name) => !NAMED.includes(name));
const USUAL = { only: ALL, connections: [1, 16, 64], seconds: 10 };
const SMALL = { only: ALL.filter((name) => !LONG.includes(name)), connections: [16], seconds: 1 };

const OptionsShape = z.object({
  against: z.string().optional(),
  only: list.pipe(z.array(z.enum(SCENARIOS))).optional(),
  connections: list.pipe(z.array(z.string().pipe(z.coerce.number<string>().int().min(1).max(500)))).optional(),
  processes: list.pipe(z.array(z.enum(PROCESSES)).min(1)).default(['many']),
  seconds: z.coerce.number().min(1).max(3_600).optional(),
  small: z.boolean().default(false),
  schools: z.coerce.number().int().min(0).max(2_000).default(0),
  plot: z.string().default('.local/bench/bench.html'),
  json: z.string().optional(),
});
export type Options = Omit<z.infer<typeof OptionsShape>, keyof typeof USUAL> & typeof USUAL;

/** What is asked for, `--small` or not where it is not said; throws a message to show. */
export const readOptions = (args: readonly string[]): Options | 'help' => {
  const given = readArguments(OptionsShape, args);
  if (given === 'help') return given;
  const { only, connections, seconds } = given.small ? SMALL : USUAL;
  return {
    ...given,
    only: given.only ?? only,
    connections: given.connections ?? connections,
    seconds: given.seconds ?? seconds,
  };
};
