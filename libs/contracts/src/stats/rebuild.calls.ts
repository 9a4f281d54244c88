import { z } from 'zod';
import { call } from '../call.ts';

/** A number in each source log, by the name of the log. */
const Numbers = z.record(z.string(), z.int());

const Progress = z.object({
  /** The generation that is built, or the current generation if none is built. */
  gen: z.int(),
  /** Whether the build is complete: no generation is being built. */
  done: z.boolean(),
  /** Reason of the rebuild. */
  why: z.string().nullable(),
  /** Offset up to which each log has been read into it. */
  read: Numbers,
  /** Offset of the generation that answers reads during the build. */
  goal: Numbers,
});
export type RebuildProgress = z.output<typeof Progress>;

/**
 * Rebuilding all statistics from the source logs, during normal operation. After the start the service continues
 * without further calls.
 */
export const rebuildCalls = {
  begin: call({
    id: 'stats.rebuild.begin',
    summary: 'Start to build a new generation of all statistics, unless one is being built',
    who: 'service',
    asked_by: ['admin'],
    writes: true,
    scope: 'all orgs',
    output: Progress,
  }),
  progress: call({
    id: 'stats.rebuild.progress',
    summary: 'Read the progress of the generation that is being built',
    who: 'service',
    asked_by: ['admin'],
    writes: false,
    scope: 'all orgs',
    output: Progress,
  }),
};
