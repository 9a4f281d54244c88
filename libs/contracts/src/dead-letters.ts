import { z } from 'zod';
import { call } from './call.ts';
import { ID, Instant } from './scalars.ts';

/** An event that could not be applied, or waits behind one of its aggregate that could not. */
export const DeadLetter = z.object({
  /** Order of arrival. */
  seq: z.int(),
  event_id: ID,
  org_id: ID,
  aggregate_id: z.string(),
  type: z.string(),
  error: z.string(),
  /** 0: it was never tried, an earlier one stands in its way. */
  tries: z.int(),
  created_at: Instant,
});
export type DeadLetter = z.output<typeof DeadLetter>;

/** One of them whole. */
const WholeDeadLetter = DeadLetter.extend({
  follower: z.string(),
  log: z.string(),
  /** As it was told. */
  event: z.unknown(),
});

/** What every service answers about its dead letters, for all orgs; asked by operators' tools. */
export const deadLetterCalls = (service: string) => ({
  list: call({
    id: `${service}.dead_letter.list`,
    summary: 'Dead letters that wait for a replay, in order of arrival',
    who: 'service',
    asked_by: ['admin'],
    writes: false,
    scope: 'all orgs',
    body: z.strictObject({ after_seq: z.int().min(0), limit: z.int().min(1).max(1_000) }),
    output: z.object({ items: z.array(DeadLetter), waiting: z.int() }),
  }),
  get: call({
    id: `${service}.dead_letter.get`,
    summary: 'One dead letter that waits, with its event; none if it does not wait (any more)',
    who: 'service',
    asked_by: ['admin'],
    writes: false,
    scope: 'all orgs',
    body: z.strictObject({ seq: z.int().min(0) }),
    output: z.object({ found: WholeDeadLetter.nullable() }),
  }),
  replay: call({
    id: `${service}.dead_letter.replay`,
    summary: 'Apply dead letters now, the first of each aggregate first; an aggregate stops at its first failure',
    who: 'service',
    asked_by: ['admin'],
    writes: false,
    scope: 'all orgs',
    output: z.object({ replayed: z.int() }),
  }),
  drop: call({
    id: `${service}.dead_letter.drop`,
    summary:
      'Go on without this event, for good: what waits behind it is applied. Refused (403) of a follower that has to prove that nothing is missing',
    who: 'service',
    asked_by: ['admin'],
    writes: true,
    scope: 'all orgs',
    body: z.strictObject({ seq: z.int().min(0), reason: z.string().min(1).max(500) }),
    output: z.object({ dropped: z.boolean() }),
  }),
});
