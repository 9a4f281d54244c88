import { Envelope } from '@teaching/contracts';
import { z } from 'zod';
import { Offset } from './offset.ts';

/**
 * The subjects of queries to a source about its logs. Only its leading instance answers. `from`: the querying user,
 * which the broker enforces.
 */
export const logSubjects = (service: string, from = '*') => ({
  /** Reads entries after an offset that the follower has reached. */
  read: `log.${service}.read.${from}`,
  /** Reads the offsets of transactions. */
  reach: `log.${service}.reach.${from}`,
  /** Published about every second: the ends of the logs. */
  head: `log.${service}.head`,
});

const Kind = z.enum(['domain', 'audit']);

export const ReadRequest = z.object({
  log: Kind,
  /** The follower's last offset; `id` is null if it does not know the event there. */
  after: Offset,
  limit: z.int().min(0).max(2_000),
});
export type ReadRequest = z.output<typeof ReadRequest>;

/** An entry without an event is only a number: the event was erased. */
const Entry = z.object({ epoch: z.int(), no: z.int(), id: z.string(), event: Envelope.optional() });

export const ReadAnswer = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('ok'),
    /** The offset before the entries, with its id. */
    after: Offset,
    head: Offset,
    entries: z.array(Entry),
  }),
  z.object({
    /**
     * The source does not have the follower's event: it was restored to an earlier state. `common` is the last number
     * that both have, if known.
     */
    state: z.literal('broken'),
    head: Offset,
    common: z.int().nullable(),
  }),
  z.object({
    /** The next entries of the follower were removed; the log continues after `base`. */
    state: z.literal('hole'),
    head: Offset,
    base: z.int(),
  }),
]);
export type ReadAnswer = z.output<typeof ReadAnswer>;

/** Largest number of transactions in one query. */
export const MAX_QUERIED_TRANSACTIONS = 5_000;

export const ReachRequest = z.object({ tx_ids: z.array(z.string()).max(MAX_QUERIED_TRANSACTIONS) });
/** Transactions that the source knows, as orders of offsets (`orderOf`). Missing ones were rolled back or lost. */
export const ReachAnswer = z.object({
  reached: z.record(z.string(), z.object({ first: z.number(), last: z.number() })),
});
export type Reach = z.output<typeof ReachAnswer>['reached'];

/** The end of each log of a source. */
export const PublishedHeads = z.object({ domain: Offset.optional(), audit: Offset.optional() });
