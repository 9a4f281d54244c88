import { Envelope } from '@teaching/contracts';
import { z } from 'zod';
import { Offset } from './offset.ts';

/** What a source answers about its logs, on the bus; only its leading instance does. `from`: who asks, as the broker proves. */
export const logSubjects = (service: string, from = '*') => ({
  /** Entries after a place that the asker has reached. */
  read: `log.${service}.read.${from}`,
  /** The numbers of transactions. */
  reach: `log.${service}.reach.${from}`,
  /** Told every second: where the logs end. */
  head: `log.${service}.head`,
});

const Kind = z.enum(['domain', 'audit']);

export const ReadRequest = z.object({
  log: Kind,
  /** The last the asker has; with `id` null it does not know which event that is. */
  after: Offset,
  limit: z.int().min(0).max(2_000),
});
export type ReadRequest = z.output<typeof ReadRequest>;

/** An entry without an event is a number only: it was erased. */
const Entry = z.object({ epoch: z.int(), no: z.int(), id: z.string(), event: Envelope.optional() });

export const ReadAnswer = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('ok'),
    /** The place after which the entries come, with its id. */
    after: Offset,
    head: Offset,
    entries: z.array(Entry),
  }),
  z.object({
    /** The source does not have what the asker has: it went back. `common` is the last number both have, if known. */
    state: z.literal('broken'),
    head: Offset,
    common: z.int().nullable(),
  }),
  z.object({
    /** What comes next for the asker was removed; the log goes on after `base`. */
    state: z.literal('hole'),
    head: Offset,
    base: z.int(),
  }),
]);
export type ReadAnswer = z.output<typeof ReadAnswer>;

/** Transactions that one question may name. */
export const MAX_QUERIED = 5_000;

export const ReachRequest = z.object({ tx_ids: z.array(z.string()).max(MAX_QUERIED) });
/** Transactions the source knows, as orders of places (`orderOf`); others are gone or never were. */
export const ReachAnswer = z.object({
  reached: z.record(z.string(), z.object({ first: z.number(), last: z.number() })),
});
export type Reach = z.output<typeof ReachAnswer>['reached'];

/** Where each log of a source ends. */
export const PublishedHeads = z.object({ domain: Offset.optional(), audit: Offset.optional() });
