import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Kinds of requests that sizes are made of, as tables name them. */
export const KINDS = {
  my_week: "a student's week of lessons",
  class: 'the 30 students of a class',
  timetable: 'a week of 100 lessons across classes',
  my_figures: "a student's statistics of a month",
  teacher_figures: "a teacher's statistics of a month",
  package: 'the 20 items of a package',
  search: 'a search in packages',
  edit_package: 'an edit of 20 items of a package',
  change: 'a change of a class',
  roll_call: 'a roll call of 30, in statistics',
} as const;

export type KindName = keyof typeof KINDS;
export const KIND_NAMES: readonly KindName[] = Object.keys(KINDS).filter((name): name is KindName => name in KINDS);

/** Records that are created once rather than requested each day: their bytes count, their CPU is negligible. */
export const MADE = {
  lesson: 'a lesson planned, in a series',
  enrolment: 'a student enrolled, with a grant of hours',
} as const;
export type MadeName = keyof typeof MADE;

/** Processes that may run as often as one likes; those but the gateway are services, with connections to Postgres. */
export const SERVICES = ['clazz', 'course', 'package', 'stats'] as const;
export const PROCESSES = ['gateway', ...SERVICES] as const;

/** A record with a value for each of these keys. */
export const recordOf = <K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V> => {
  const filled: Partial<Record<K, V>> = {};
  for (const key of keys) filled[key] = value(key);
  // Each key was set just now.
  return filled as Record<K, V>;
};

/** The processes of a system. Those of Postgres are grouped by the service whose role they serve; the rest is shared. */
export const PARTS = [
  'gateway',
  'broker',
  'clazz',
  'course',
  'package',
  'stats',
  'postgres clazz',
  'postgres course',
  'postgres package',
  'postgres stats',
  'postgres',
] as const;
export const Part = z.enum(PARTS);
export type Part = z.infer<typeof Part>;

const us = z.number().min(0);
const bytes = z.number().min(0);
const ByPart = z.partialRecord(Part, us);

/** Bytes that one request leaves behind. */
export const Stored = z.object({
  /** Bytes of Postgres' log, with the page images after a checkpoint. */
  wal: bytes,
  /** Rows and indexes: of the domain, of the logs for good, of the audit records for a week, of the audit log, of statistics. */
  domain: bytes,
  log: bytes,
  audit_log: bytes,
  trail: bytes,
  statistics: bytes,
  /** In the broker's streams of events and of audit records, at most a week. */
  events_stream: bytes,
  audit_stream: bytes,
  /** Entries of the audit log. */
  entries: z.number().min(0),
});
export type Stored = z.infer<typeof Stored>;

const kinds = z.enum(KIND_NAMES as [KindName, ...KindName[]]);

/** Measured figures, all from one machine; CPU in microseconds, memory in MiB. */
export const Figures = z.object({
  measured: z.object({
    commit: z.string(),
    at: z.string(),
    machine: z.string(),
    versions: z.string(),
    /** Mean number of processes that wanted a core in the last quarter of an hour: above the number of cores, figures are too high. */
    load: z.number().optional(),
  }),
  /** CPU of one request with its consequences, by part, above idle. */
  cpu_us: z.record(kinds, ByPart),
  /** CPU of the leading `clazz` instance for each request that any instance answered: numbering, publishing, audit log. */
  leader_us: z.partialRecord(kinds, us),
  stored: z.partialRecord(kinds, Stored),
  made: z.record(z.enum(['lesson', 'enrolment'] satisfies MadeName[]), Stored),
  /** Statistics that apply a backlog of roll calls without other load, and a job that verifies audit logs. */
  catch_up: z.object({ roll_calls_per_s: z.number() }),
  verify: z.object({ entries_per_s: z.number() }),
  /** Standing still: share of a core, memory that is the process's own. One connection to Postgres is `connection`. */
  idle_share: z.partialRecord(Part, z.number()),
  memory_mb: z.record(z.enum(['gateway', 'broker', 'service', 'connection']), z.number()),
  /** Connections to Postgres: the maximum of one instance, and the measured number of a set of four. */
  connections: z.object({ at_most: z.int(), of_four: z.int() }),
  /** Table and indexes for each row. */
  row_bytes: z.record(z.string(), bytes),
});
export type Figures = z.infer<typeof Figures>;

const FILE = new URL('figures.json', import.meta.url);

/** Reads the stored figures. */
export const readFigures = (): Figures => Figures.parse(JSON.parse(readFileSync(FILE, 'utf8')));
