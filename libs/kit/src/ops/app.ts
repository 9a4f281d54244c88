import type { MigrationEntry } from '../db/migration.ts';
import type { Statement } from '../db/statement.ts';
import type { FollowerDefinition } from '../log/follower.ts';
import type { Route } from '../rpc/handler.ts';
import type { Child } from '../rpc/acting-for.ts';
import type { Job, Sweep } from './jobs.ts';
import type { MetricSource } from './instance-metrics.ts';

/** One feature of a service as data: its calls, its repeated jobs and its metrics. */
export interface Module {
  routes: readonly Route[];
  jobs?: readonly (Job | Sweep)[];
  metrics?: readonly MetricSource[];
}

/** A service as data. Creating it opens no connection. */
export interface App {
  name: string;
  modules: readonly Module[];
  follower: FollowerDefinition | undefined;
  migrations: readonly MigrationEntry[];
  /** Whether all reads of a call see one snapshot, so that its statements must be sent at once (`SnapshotReader`). */
  snapshots?: boolean;
  /** Reads the children of a guardian by org and user; set in the service that stores guardians. */
  children?: Statement<Child>;
}
