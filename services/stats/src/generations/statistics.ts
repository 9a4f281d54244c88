import { allEvents } from '@teaching/contracts';
import type { FollowerDef } from '@teaching/kit';
import { project } from './project.ts';

/** Follows the events that statistics are made of: those that say so themselves. */
export const STATISTICS: FollowerDef = {
  name: 'statistics',
  follows: allEvents.filter(({ feeds }) => feeds.includes('stats')),
  apply: project,
  generations: true,
};
