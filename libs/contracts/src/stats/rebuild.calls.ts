import { z } from 'zod';
import { call } from '../call.ts';

/** A number in the log of each source, by its name. */
const Numbers = z.record(z.string(), z.int());

const Progress = z.object({
  /** The generation being built, or the current one when none is. */
  gen: z.int(),
  /** No generation is being built. */
  done: z.boolean(),
  /** Why it is built. */
  why: z.string().nullable(),
  /** How far each log has been read into it. */
  read: Numbers,
  /** How far the generation is that answers meanwhile. */
  goal: Numbers,
});
export type RebuildProgress = z.output<typeof Progress>;

/**
 * Building all statistics anew from the logs of their sources, beside live traffic. The service does it by
 * itself once it is begun; whoever looks may go and come back.
 */
export const rebuildCalls = {
  begin: call({
    id: 'stats.rebuild.begin',
    summary: 'Begin to build a new generation of all statistics, unless one is being built',
    who: 'service',
    asked_by: ['admin'],
    writes: true,
    scope: 'all orgs',
    output: Progress,
  }),
  progress: call({
    id: 'stats.rebuild.progress',
    summary: 'How far the generation that is being built has come',
    who: 'service',
    asked_by: ['admin'],
    writes: false,
    scope: 'all orgs',
    output: Progress,
  }),
};
