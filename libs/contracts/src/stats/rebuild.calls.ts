import { z } from 'zod';
import { call } from '../call.ts';

/** How far the history of each source has been replayed: the last sequence, by service. */
const Positions = z.record(z.string(), z.int());

const Progress = z.object({
  /** The generation being built, or the current one once it is done. */
  gen: z.int(),
  done: z.boolean(),
  replayed: Positions,
  /** How far it has to be. */
  heads: Positions,
});
export type RebuildProgress = z.output<typeof Progress>;

/**
 * Rebuilding all statistics from the event history, driven step by step from outside: every step is safe
 * to repeat, so whoever drives may stop and come back, or be replaced.
 */
export const rebuildCalls = {
  begin: call({
    id: 'stats.rebuild.begin',
    summary: 'Begin to build a new generation of all statistics, or go on with the one being built',
    who: 'service',
    writes: true,
    scope: 'all orgs',
    output: Progress,
  }),
  step: call({
    id: 'stats.rebuild.step',
    summary: 'Replay the next events into the generation being built; switch to it when there are no more',
    who: 'service',
    writes: true,
    scope: 'all orgs',
    body: z.strictObject({ gen: z.int(), replayed: Positions, limit: z.int().min(1).max(2_000).default(500) }),
    output: Progress,
  }),
};
