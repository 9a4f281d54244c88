import { z } from 'zod';
import { call } from './call.ts';
import { ID, Instant, text } from './scalars.ts';

/** An event that could not be applied, or that waits for an earlier event of its aggregate. */
export const DeadLetter = z.object({
  /** Number in order of arrival. */
  seq: z.int(),
  event_id: ID,
  org_id: ID,
  aggregate_id: z.string(),
  type: z.string(),
  error: z.string(),
  /** Number of attempts. 0: never tried, because an earlier event of the aggregate failed. */
  tries: z.int(),
  created_at: Instant,
});
export type DeadLetter = z.output<typeof DeadLetter>;

/** A dead letter with its event. */
const WholeDeadLetter = DeadLetter.extend({
  follower: z.string(),
  log: z.string(),
  /** The event as it was published. */
  event: z.unknown(),
});

/** Calls of every service about its dead letters, across all organizations. The operator's tools use them. */
export const deadLetterCalls = (service: string) => ({
  list: call({
    id: `${service}.dead_letter.list`,
    summary: 'List dead letters that wait for a replay, in order of arrival',
    roles: 'service',
    called_by: ['admin'],
    writes: false,
    scope: 'all orgs',
    body: z.strictObject({ after_seq: z.int().min(0), limit: z.int().min(1).max(1_000) }),
    output: z.object({ items: z.array(DeadLetter), waiting: z.int() }),
  }),
  get: call({
    id: `${service}.dead_letter.get`,
    summary: 'Read a waiting dead letter with its event; `null` if it does not wait',
    roles: 'service',
    called_by: ['admin'],
    writes: false,
    scope: 'all orgs',
    body: z.strictObject({ seq: z.int().min(0) }),
    output: z.object({ found: WholeDeadLetter.nullable() }),
  }),
  replay: call({
    id: `${service}.dead_letter.replay`,
    summary: 'Apply dead letters again, in order for each aggregate. An aggregate stops at its first failure',
    roles: 'service',
    called_by: ['admin'],
    writes: false,
    scope: 'all orgs',
    output: z.object({ replayed: z.int() }),
  }),
  drop: call({
    id: `${service}.dead_letter.drop`,
    summary:
      'Skip an event permanently and apply the events that wait for it. 403 for a follower that must prove completeness',
    roles: 'service',
    called_by: ['admin'],
    writes: true,
    scope: 'all orgs',
    body: z.strictObject({ seq: z.int().min(0), reason: text(500) }),
    output: z.object({ dropped: z.boolean() }),
  }),
});
