import { z } from 'zod';
import { event, type LogKind } from './event.ts';

/** The organization of events that concern a whole service. */
export const EVERYBODY = '00000000-0000-0000-0000-000000000000';

const Restored = z.object({
  /** The epoch that begins with this event. */
  epoch: z.int(),
  first_no: z.int(),
  /**
   * What was told in earlier epochs with numbers from `first_no` on is void: the source does not know it any more. Up to this
   * one somebody is known to have been told; it is below `first_no` when nobody is left who could say.
   */
  void_epoch: z.int(),
  void_up_to: z.int(),
});

/**
 * A source's database was put back to an earlier point, and others had seen more: whatever they were told after
 * that point never happened. One for each log, under the organization of zeros.
 */
export const restoredEvent = (service: string, log: LogKind) =>
  event(
    `${service}.${log === 'audit' ? 'audit_log' : 'log'}.restored`,
    'The log went back: what was told under the numbers named is void',
    Restored,
    { log },
  );
