import type { Tally } from './tally.rules.ts';

/** SQL of how long a marking took, in whole seconds. */
export const secondsOf = (marking: string): string =>
  `extract(epoch from ${marking}.marked_at - ${marking}.submitted_at)::bigint`;

/** How long markings took together and on average, which nobody knows of none. */
export const turnaroundOf = ({ markings, marking_seconds: seconds }: Tally<'markings' | 'marking_seconds'>) => ({
  seconds,
  markings,
  average_seconds: markings === 0 ? null : seconds / markings,
});
