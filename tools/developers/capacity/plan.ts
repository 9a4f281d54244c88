import { costsOf } from './costs.ts';
import type { Figures } from './figures.ts';
import { PROCESSES } from './kinds.ts';
import { cellSize, limitsOf, postgresCores } from './limits.ts';
import type { Profile } from './profile.ts';
import { recordOf } from './records.ts';

const WEEK = 7;
const MB = 1_000_000;

/** What so many organizations need. All but the first three is of one cell. */
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

const GB = 1_000 * MB;
const TB = 1_000 * GB;

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
