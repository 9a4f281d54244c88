import type { MigrationEntry } from '../db/schema.ts';
import type { FollowerDef } from '../log/follow.ts';
import type { Route } from '../rpc/handler.ts';
import type { Job, Sweep } from './jobs.ts';

/** A service as data: what it answers, follows and repeats. Opens nothing. */
export interface App {
  name: string;
  routes: readonly Route[];
  follower: FollowerDef | undefined;
  jobs: readonly (Job | Sweep)[];
  migrations: readonly MigrationEntry[];
  /** What one call reads is of one moment, so its statements are sent at once (`SnapshotReader`). */
  snapshots?: boolean;
}
