import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { type Profile, demandOf } from './demand.ts';
import { type Figures, KIND_NAMES, PARTS, PROCESSES, type Part, SERVICES, type Stored, recordOf } from './figures.ts';

const DAY_S = 86_400;
const US = 1_000_000;
/** Days for which audit records stay beside the audit log, and messages in a stream. */
const WEEK = 7;

/** The costs of one organization; everything grows with their number. */
export interface Costs {
  /** Requests and roll calls a second at the peak. */
  requests: number;
  rollCalls: number;
  /** Cores that are busy at the peak, by part. */
  cores: Record<Part, number>;
  /** Of those of `clazz`, the share of the one instance that leads. */
  leader: number;
  /** Of the time of the one instance of statistics that follows. */
  follower: number;
  /** Of the day that recomputing the trails takes, when they are as long as after all years. */
  verifying: number;
  /** Bytes: of Postgres' log a second at the peak and on a day, of tables on the disk after all years. */
  walPeak: number;
  walDay: number;
  disk: Record<'domain' | 'log' | 'trail' | 'statistics', number>;
  /** Entries of the audit log after all years. */
  entries: number;
  /** Bytes of a day's messages, in the larger of both kinds of streams. */
  streamDay: number;
}

type PerRequest = (kind: (typeof KIND_NAMES)[number]) => number;

export const costsOf = (figures: Figures, profile: Profile): Costs => {
  const { day, peak, made, schoolDays } = demandOf(profile);
  const { cpu_us, leader_us, stored, catch_up, verify } = figures;
  const sum = (of: typeof day, each: PerRequest): number =>
    KIND_NAMES.reduce((total, kind) => total + of[kind] * each(kind), 0);
  const kept = (what: keyof Stored): number =>
    schoolDays * sum(day, (kind) => stored[kind]?.[what] ?? 0) +
    made.lesson * figures.made.lesson[what] +
    made.enrolment * figures.made.enrolment[what];
  const onDisk = (what: keyof Stored): number => kept(what) * profile.years * profile.room;
  const aDay = (what: keyof Stored): number => kept(what) / schoolDays;
  const entries = kept('entries') * profile.years;
  const cores = (part: Part): number => sum(peak, (kind) => cpu_us[kind][part] ?? 0) / US;
  return {
    requests: sum(peak, () => 1),
    rollCalls: peak.roll_call,
    cores: recordOf(PARTS, cores),
    leader: sum(peak, (kind) => leader_us[kind] ?? 0) / US,
    follower: peak.roll_call / catch_up.roll_calls_per_s,
    verifying: entries / verify.entries_per_s / DAY_S,
    walPeak: sum(peak, (kind) => stored[kind]?.wal ?? 0),
    walDay: aDay('wal'),
    disk: {
      domain: onDisk('domain'),
      log: onDisk('log') + aDay('audit_log') * WEEK * profile.room,
      trail: onDisk('trail'),
      statistics: onDisk('statistics'),
    },
    entries,
    streamDay: Math.max(aDay('events_stream'), aDay('audit_stream')),
  };
};

/** The remedy of a limit. Work that is done less often refuses no request. */
export type Step =
  | 'another instance'
  | 'a larger machine'
  | 'a Postgres for each service'
  | 'another cell'
  | 'another cell; otherwise it is done less often';

/** Something that one cell has once, or so much of, and how many organizations it is enough for. */
export interface Limit {
  what: string;
  orgs: number;
  lifted: Step;
}

/** Cores of the smallest machine that a Postgres of `overlays/large` is promised. */
const SMALL_POSTGRES = 2;
const MB = 1_000_000;
const GB = 1_000 * MB;
const TB = 1_000 * GB;

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Cores of Postgres that one organization keeps busy: with one Postgres, and of each service with its own. */
export const postgresCores = ({ cores }: Costs) => {
  const own = SERVICES.map((service) => cores[`postgres ${service}`]);
  const share = (n: number): number => (sumOf(own) === 0 ? 0 : n / sumOf(own));
  // Work without a service's connection (writing pages, vacuum, the log) is distributed by the services' own work.
  const each = own.map((busy) => busy + cores.postgres * share(busy));
  return { all: sumOf(each), largest: Math.max(...each) };
};

/** Every limit of one cell, the lowest first, without resources that no measured request uses. */
export const limitsOf = (costs: Costs, figures: Figures, it: Profile): Limit[] => {
  const { cores, disk } = costs;
  const { all, largest } = postgresCores(costs);
  const planned = (available: number, perOrg: number): number => (available * it.utilisation) / perOrg;
  // Nearly all that is not of statistics is of classes.
  const bytes = sumOf(Object.values(disk));
  const instancesPerOrg = sumOf(SERVICES.map((service) => cores[service])) / it.utilisation;
  const limits: Limit[] = [
    { what: 'one gateway process', orgs: planned(1, cores.gateway), lifted: 'another instance' },
    ...SERVICES.map((service): Limit => ({
      what: `one ${service} process`,
      orgs: planned(1, cores[service]),
      lifted: 'another instance',
    })),
    { what: 'the broker on one core', orgs: planned(1, cores.broker), lifted: 'a larger machine' },
    { what: `Postgres on ${SMALL_POSTGRES} cores`, orgs: planned(SMALL_POSTGRES, all), lifted: 'a larger machine' },
    {
      what: `Postgres on ${it.postgres_cores} cores`,
      orgs: planned(it.postgres_cores, all),
      lifted: 'a Postgres for each service',
    },
    {
      what: `one service's own Postgres on ${it.postgres_cores} cores`,
      orgs: planned(it.postgres_cores, largest),
      lifted: 'another cell',
    },
    {
      what: `${it.max_connections} connections to one Postgres`,
      orgs: (it.max_connections / figures.connections.at_most - 2 * SERVICES.length) / instancesPerOrg,
      lifted: 'a Postgres for each service',
    },
    {
      what: `${it.postgres_wal_mb} MB/s of Postgres' log`,
      orgs: (it.postgres_wal_mb * MB) / costs.walPeak,
      lifted: 'another cell',
    },
    {
      what: `a disk of ${it.postgres_disk_tb} TB`,
      orgs: (it.postgres_disk_tb * TB) / bytes,
      lifted: 'a Postgres for each service',
    },
    {
      what: `one service's own disk of ${it.postgres_disk_tb} TB`,
      orgs: (it.postgres_disk_tb * TB) / Math.max(disk.statistics, bytes - disk.statistics),
      lifted: 'another cell',
    },
    { what: 'the one instance of clazz that leads', orgs: planned(1, costs.leader), lifted: 'another cell' },
    { what: 'the one follower of statistics', orgs: planned(1, costs.follower), lifted: 'another cell' },
    {
      what: 'verifying all audit logs from their first entries each day',
      orgs: planned(1, costs.verifying),
      lifted: 'another cell; otherwise it is done less often',
    },
  ];
  return limits.filter(({ orgs }) => Number.isFinite(orgs)).sort((a, b) => a.orgs - b.orgs);
};

/** How many organizations one cell takes: all that nothing but another cell lifts is enough for them. */
export const cellSize = (limits: readonly Limit[]): number =>
  Math.floor(Math.min(...limits.filter(({ lifted }) => lifted === 'another cell').map(({ orgs }) => orgs)));

const FOLDER = fileURLToPath(new URL('../../../deploy/kubernetes/', import.meta.url));
const GIB = 2 ** 30;

const Cluster = z.looseObject({
  spec: z.looseObject({
    storage: z.looseObject({ size: z.string().regex(/^\d+Gi$/) }),
    resources: z.looseObject({ requests: z.looseObject({ cpu: z.string() }) }),
  }),
});
const Autoscaler = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({ maxReplicas: z.int() }),
});
const Kustomization = z.looseObject({ components: z.array(z.string()).default([]) });

/** The resources of an overlay of `deploy/kubernetes`. */
interface Overlay {
  name: string;
  copies: (process: string) => number;
  cores: number;
  disk: number;
}

const read = (file: string): string => readFileSync(`${FOLDER}${file}`, 'utf8');
/** `2` or `250m`. */
const coresIn = (cpu: string): number => (cpu.endsWith('m') ? Number.parseInt(cpu, 10) / 1_000 : Number(cpu));

const overlay = (name: string): Overlay => {
  const { spec } = Cluster.parse(parse(read(`overlays/${name}/postgres.yaml`)));
  const { components } = Kustomization.parse(parse(read(`overlays/${name}/kustomization.yaml`)));
  const scaled = components.some((component) => component.endsWith('/autoscaling'))
    ? parseAllDocuments(read('components/autoscaling/autoscalers.yaml')).map((one) => Autoscaler.parse(one.toJS()))
    : [];
  const most = new Map(scaled.map(({ metadata, spec }) => [metadata.name, spec.maxReplicas]));
  return {
    name: `overlays/${name}`,
    copies: (process) => most.get(process) ?? 1,
    cores: coresIn(spec.resources.requests.cpu),
    disk: Number.parseInt(spec.storage.size, 10) * GIB,
  };
};

/** The organizations that an unchanged overlay serves: by its instances, the cores of Postgres, and its disk after all years. */
export interface Fit {
  name: string;
  processes: number;
  postgres: number;
  disk: number;
}

export const fitsOf = (costs: Costs, profile: Profile): Fit[] =>
  ['small', 'large'].map(overlay).map(({ name, copies, cores, disk }) => ({
    name,
    processes: Math.min(...PROCESSES.map((process) => (copies(process) * profile.utilisation) / costs.cores[process])),
    postgres: (cores * profile.utilisation) / postgresCores(costs).all,
    disk: disk / Object.values(costs.disk).reduce((sum, bytes) => sum + bytes, 0),
  }));

/** The size for a number of organizations. All but the first three fields are for one cell. */
export interface Plan {
  orgs: number;
  cells: number;
  /** Organizations of a cell. */
  each: number;
  requests: number;
  rollCalls: number;
  instances: Record<(typeof PROCESSES)[number], number>;
  /** Whether each service has a Postgres of its own. */
  split: boolean;
  /** Cores of Postgres, or of the largest of them, with room; those of the broker. */
  postgresCores: number;
  brokerCores: number;
  /** To Postgres at most, while one more of each starts. */
  connections: number;
  /** Memory of all processes and connections in MiB, without what Postgres keeps of its tables. */
  memoryMb: number;
  walPeakMb: number;
  walDayGb: number;
  diskGb: number;
  logGb: number;
  trailGb: number;
  backupGb: number;
  /** Days of events that the streams hold, seven at most. */
  streamDays: number;
  leader: number;
  follower: number;
  verifying: number;
}

/** The sizes for so many organizations. */
export const planFor = (orgs: number, figures: Figures, profile: Profile): Plan => {
  const costs = costsOf(figures, profile);
  const cells = Math.max(1, Math.ceil(orgs / cellSize(limitsOf(costs, figures, profile))));
  const each = Math.ceil(orgs / cells);
  const needed = (perOrg: number): number => (each * perOrg) / profile.utilisation;
  const instances = recordOf(PROCESSES, (process) => Math.max(1, Math.ceil(needed(costs.cores[process]))));
  const { gateway, ...services } = instances;
  const ofServices = Object.values(services).reduce((sum, count) => sum + count, 0);
  const connections = (ofServices + Object.keys(services).length) * figures.connections.at_most;
  const cores = postgresCores(costs);
  const { memory_mb } = figures;
  const disk = each * Object.values(costs.disk).reduce((sum, bytes) => sum + bytes, 0);
  const split =
    needed(cores.all) > profile.postgres_cores ||
    connections > profile.max_connections ||
    disk > profile.postgres_disk_tb * TB;
  return {
    orgs,
    cells,
    each,
    requests: each * costs.requests,
    rollCalls: each * costs.rollCalls,
    instances,
    split,
    postgresCores: needed(split ? cores.largest : cores.all),
    brokerCores: needed(costs.cores.broker),
    connections,
    memoryMb:
      gateway * memory_mb.gateway +
      memory_mb.broker +
      ofServices * memory_mb.service +
      connections * memory_mb.connection,
    walPeakMb: (each * costs.walPeak) / MB,
    walDayGb: (each * costs.walDay) / GB,
    diskGb: disk / GB,
    logGb: (each * costs.disk.log) / GB,
    trailGb: (each * costs.disk.trail) / GB,
    backupGb: (profile.backups * (disk + each * costs.walDay)) / GB,
    streamDays: Math.min(WEEK, (profile.stream_gb * GB) / (each * costs.streamDay)),
    leader: each * costs.leader,
    follower: each * costs.follower,
    verifying: each * costs.verifying,
  };
};
