import type { MigrationEntry } from '../db/migration.ts';
import type { Statement } from '../db/statement.ts';
import type { FollowerDefinition } from '../log/follower.ts';
import type { Route } from '../rpc/handler.ts';
import type { Child } from '../rpc/acting-for.ts';
import type { Job, Sweep } from './jobs.ts';
import type { MetricSource } from './instance-metrics.ts';

/** One feature of a service as data: the calls it answers, its repeated jobs and its own metrics. */
export interface Module {
  routes: readonly Route[];
  jobs?: readonly (Job | Sweep)[];
  measures?: readonly MetricSource[];
}

/** A service as data. Opens nothing. */
export interface App {
  name: string;
  modules: readonly Module[];
  follower: FollowerDefinition | undefined;
  migrations: readonly MigrationEntry[];
  /** What one call reads is of one moment, so its statements are sent at once (`SnapshotReader`). */
  snapshots?: boolean;
  /** The children of a guardian, by org and user, in the service that keeps who speaks for whom. */
  children?: Statement<Child>;
}
