import { z } from 'zod';
import { event, type LogKind } from './event.ts';

/** Organization id of events that concern a whole service and no tenant. */
export const EVERYBODY = '00000000-0000-0000-0000-000000000000';

const Restored = z.object({
  /** The epoch that begins with this event. */
  epoch: z.int(),
  /**
   * First number of the new epoch. Events of earlier epochs with numbers from `first_no` on are void: the source lost
   * them.
   */
  first_no: z.int(),
  void_epoch: z.int(),
  /** The last void event that is known to be published. Below `first_no` if no reader could confirm any. */
  void_up_to: z.int(),
});

/**
 * Reports that the database of a source was restored to an earlier time, after readers had received later events. These
 * events are void. One event for each log, under the organization `SYSTEM_ORG_ID`.
 */
export const restoredEvent = (service: string, log: LogKind) =>
  event(
    `${service}.${log === 'audit' ? 'audit_log' : 'log'}.restored`,
    'The log was restored to an earlier state. The events with the given numbers are void',
    Restored,
    { log },
  );
