import type { MigrationEntry } from '../db/schema.ts';
import type { FollowerDef } from '../log/follow.ts';
import type { Route } from '../rpc/handler.ts';
import type { Job, Sweep } from './jobs.ts';

/** Is told of events as they pass, without memory: for dropping what a cache holds. */
export interface Listener {
  subject: string;
  onMessage: () => void;
}

/** A service as data: what it answers, follows and repeats. Opens nothing. */
export interface App {
  name: string;
  routes: readonly Route[];
  listeners: readonly Listener[];
  follower: FollowerDef | undefined;
  jobs: readonly (Job | Sweep)[];
  migrations: readonly MigrationEntry[];
}
