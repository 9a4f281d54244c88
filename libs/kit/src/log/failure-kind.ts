import { Problem } from '@teaching/contracts';
import { type FaultKind, faultKindOf, RolledBack } from '../db/database-fault.ts';

/**
 * The kind of a failure while an event is applied. `environment`: connection, permissions, missing tables, disk space,
 * locks, serialization conflicts; the follower can only wait, and no event is the cause. `slow`: a statement reached
 * its time limit. `event`: the data cannot be applied.
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

/** Number of tries for which a source that starts at the same time may be unavailable. */
const STARTING = 3;

/** Whether the failure is normal at the start: the source did not answer, after few failures before. */
export const isExpectedAtStart = (error: unknown, failures: number): boolean =>
  error instanceof Problem && error.code === 'unavailable' && failures < STARTING;
