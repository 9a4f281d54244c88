import { Problem } from '@teaching/contracts';
import { type FaultKind, faultOf } from '../db/fault.ts';

/**
 * Three kinds of trouble. `environment`: connection, rights, missing tables, room, locks, lost races; nothing can be
 * done but wait, and no event is to blame. `slow`: a statement ran into its limit. `event`: the data cannot be applied.
 */
export type Trouble = 'environment' | 'slow' | 'event';

const TROUBLES: Record<FaultKind, Trouble> = {
  lost: 'environment',
  busy: 'environment',
  race: 'environment',
  setup: 'environment',
  slow: 'slow',
  value: 'event',
  other: 'event',
};
/** A statement had failed before, and whoever sent it went on all the same. */
const ROLLED_BACK = /rolled back by/;

export const troubleOf = (error: unknown): Trouble =>
  error instanceof Error && ROLLED_BACK.test(error.message) ? 'environment' : TROUBLES[faultOf(error)];

/** A source that is started at the same time is not there for so many tries. */
const STARTING = 3;

/** Whether it is no trouble yet that a source did not answer, after so many failures before. */
export const mayBeStarting = (error: unknown, failures: number): boolean =>
  error instanceof Problem && error.code === 'unavailable' && failures < STARTING;

export { reasonOf, TroubleTeller } from '../telemetry/trouble-teller.ts';
