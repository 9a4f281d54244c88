import { Problem } from '@teaching/contracts';
import { type FaultKind, faultKindOf, RolledBack } from '../db/database-fault.ts';

/**
 * Three kinds of trouble. `environment`: connection, rights, missing tables, room, locks, lost races; nothing can be
 * done but wait, and no event is to blame. `slow`: a statement ran into its limit. `event`: the data cannot be applied.
 */
export type FailureKind = 'environment' | 'slow' | 'event';

const FAILURE_KINDS: Record<FaultKind, FailureKind> = {
  lost: 'environment',
  busy: 'environment',
  race: 'environment',
  setup: 'environment',
  slow: 'slow',
  value: 'event',
  other: 'event',
};
export const failureKindOf = (error: unknown): FailureKind =>
  error instanceof RolledBack ? 'environment' : FAILURE_KINDS[faultKindOf(error)];

/** A source that is started at the same time is not there for so many tries. */
const STARTING = 3;

/** Whether it is no trouble yet that a source did not answer, after so many failures before. */
export const isExpectedAtStart = (error: unknown, failures: number): boolean =>
  error instanceof Problem && error.code === 'unavailable' && failures < STARTING;
