import { z } from 'zod';
import { call } from './call.ts';
import { Envelope } from './event.ts';

/**
 * The event history of one service, oldest first: what a projection is rebuilt from. Every service answers
 * it, for all orgs at once, and only other services may ask.
 */
export const historyCall = (service: string) =>
  call({
    id: `${service}.history.page`,
    summary: 'A page of all events this service ever emitted',
    who: 'service',
    writes: false,
    scope: 'all orgs',
    body: z.strictObject({
      after_seq: z.int().min(0),
      limit: z.int().min(1).max(2_000),
      /** Only these event types. */
      types: z.array(z.string()).max(100),
    }),
    output: z.object({
      events: z.array(Envelope),
      /** Ask again after this one. */
      last_seq: z.int(),
      /** The newest event there is; equal to `last_seq` when this was the last page. */
      head_seq: z.int(),
    }),
  });
