import type { MigrationEntry } from '../db/migration.ts';
import type { Statement } from '../db/statement.ts';
import type { FollowerDef } from '../log/follow.ts';
import type { Route } from '../rpc/handler.ts';
import type { Child } from '../rpc/acting-for.ts';
import type { Job, Sweep } from './jobs.ts';
import type { Measure } from './measures.ts';

/** A service as data: what it answers, follows and repeats. Opens nothing. */
export interface App {
  name: string;
  routes: readonly Route[];
  follower: FollowerDef | undefined;
  jobs: readonly (Job | Sweep)[];
  /** What it tells of itself beside what every service does. */
  measures?: readonly Measure[];
  migrations: readonly MigrationEntry[];
  /** What one call reads is of one moment, so its statements are sent at once (`SnapshotReader`). */
  snapshots?: boolean;
  /** The children of a guardian, by org and user, in the service that keeps who speaks for whom. */
  children?: Statement<Child>;
}
