import { rebuildCalls } from '@teaching/contracts';
import { routes } from '@teaching/kit';
import { beginRebuild, getRebuildProgress } from './rebuild.calls.ts';
import { removeOldGenerations } from './remove-old-generations.ts';
import { statisticsFollower } from './statistics-follower.ts';

export const generationsModule = {
  routes: routes(rebuildCalls, { begin: beginRebuild, progress: getRebuildProgress }),
  follower: statisticsFollower,
  jobs: [removeOldGenerations],
};
