import type { Logger } from 'pino';
import { databaseFault } from '../db/connection.ts';
import { wait } from '../db/leader.ts';
import { statement } from '../db/statement.ts';
import { record } from '../telemetry/metrics.ts';
import { spanned, spannedAll } from '../telemetry/trace.ts';
import type { Received } from './batch.ts';
import { inWorkerTx, type WorkerDeps, type WorkerTx } from './tx.ts';

/** Name of every service's consumer in its inbox and position tables. */
export const CONSUMER = 'events';

/** What a consumer does with events it sees for the first time, in order, in one transaction. */
export type Apply = (events: readonly Received[], tx: WorkerTx) => Promise<void>;

export interface Positioned {
  event: Received;
  stream_seq: number;
}

export const CLAIM = statement<{ event_id: string }>(`
  insert into inbox (consumer, event_id, org_id, tx_id)
  select $1, e.id, e.org_id, e.tx_id from unnest($2::uuid[], $3::uuid[], $4::uuid[]) as e(id, org_id, tx_id)
  on conflict do nothing returning event_id`);
/** One transaction at a time changes the projection: the consumer's batch, or a dead letter that is replayed. */
export const APPLYING = statement("select pg_advisory_xact_lock(hashtextextended('apply ' || current_schema(), 13))");
const ADVANCE = statement(
  'update consumer_position set stream_seq = greatest(stream_seq, $2), updated_at = now() where consumer = $1',
);
const BURY = statement(`
  insert into dead_letter (consumer, event_id, org_id, aggregate_id, event, error, tries)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`);
const PARKED = statement<{ aggregate_id: string }>(
  'select distinct aggregate_id from dead_letter where consumer = $1 and replayed_at is null',
);
const IS_PARKED = statement<{ parked: boolean }>(
  `select exists (select from dead_letter where consumer = $1 and aggregate_id = $2 and replayed_at is null) as parked`,
);

const MAX_REASON = 2_000;
const BACKOFF_MS = [20, 100, 500, 2_000];
/** Trouble that has nothing to do with the event: keep trying. */
const PASSING = /^(08|40|53|55P03|57)/;
const isPassing = (error: unknown): boolean => {
  const fault = databaseFault(error);
  if (fault !== undefined) return PASSING.test(fault.code);
  return error instanceof Error && /ECONN|ENOENT|terminated|timeout exceeded|not queryable/i.test(error.message);
};

/**
 * Applies batches of one consumer exactly once in effect. The inbox row and the projection share a
 * transaction. A batch that fails is tried event by event; an event that keeps failing is put aside as
 * a dead letter together with all later events of its aggregate, so that order holds on replay.
 */
export const createApplier = (consumer: string, deps: WorkerDeps, apply: Apply, log: Logger) => {
  let parked: Set<string> | undefined;

  const loadParked = async (): Promise<Set<string>> =>
    new Set((await inWorkerTx(deps, (tx) => tx.query(PARKED, consumer))).map((row) => row.aggregate_id));

  const claimAndApply = (batch: readonly Positioned[]): Promise<void> =>
    inWorkerTx(deps, async (tx) => {
      const last = batch.at(-1);
      if (last === undefined) return;
      tx.run(APPLYING);
      const claimed = await tx.query(
        CLAIM,
        consumer,
        batch.map(({ event }) => event.id),
        batch.map(({ event }) => event.orgid),
        batch.map(({ event }) => event.txid),
      );
      const fresh = new Set(claimed.map((row) => row.event_id));
      const events = batch.flatMap(({ event }) => (fresh.delete(event.id) ? [event] : []));
      if (events.length > 0) await apply(events, tx);
      tx.run(ADVANCE, consumer, last.stream_seq);
      record.consumed(consumer, 'applied', events.length);
      record.consumed(consumer, 'duplicate', batch.length - events.length);
    });

  const putAside = (tx: WorkerTx, { event, stream_seq }: Positioned, reason: string, tries: number): void => {
    const text = reason.slice(0, MAX_REASON);
    tx.run(BURY, consumer, event.id, event.orgid, event.subject, JSON.stringify(event), text, tries);
    tx.run(ADVANCE, consumer, stream_seq);
  };

  const bury = async (positioned: Positioned, error: unknown, tries: number): Promise<void> => {
    const { event } = positioned;
    const reason = error instanceof Error ? error.message : String(error);
    await inWorkerTx(deps, async (tx) => putAside(tx, positioned, reason, tries));
    parked?.add(event.subject);
    record.consumed(consumer, 'dead', 1);
    log.error(
      { err: error, consumer, event_id: event.id, type: event.type, org_id: event.orgid },
      'event put aside as a dead letter',
    );
  };

  /** Puts an event behind the dead letters of its aggregate; false when these have been replayed meanwhile. */
  const queueBehind = async (positioned: Positioned): Promise<boolean> => {
    const { event } = positioned;
    const waits = await inWorkerTx(deps, async (tx) => {
      tx.run(APPLYING);
      const [row] = await tx.query(IS_PARKED, consumer, event.subject);
      if (row?.parked !== true) return false;
      putAside(tx, positioned, 'an earlier event of this aggregate is a dead letter', 0);
      return true;
    });
    if (waits) record.consumed(consumer, 'dead', 1);
    else parked?.delete(event.subject);
    return waits;
  };

  const one = async (positioned: Positioned, stop: AbortSignal): Promise<void> => {
    const { event } = positioned;
    if (parked?.has(event.subject) && (await queueBehind(positioned))) return;
    for (let tries = 0; !stop.aborted;) {
      try {
        await spanned(`consume ${event.type}`, { kind: 'consumer', parent: event.traceparent }, () =>
          claimAndApply([positioned]),
        );
        return;
      } catch (error) {
        const backoff = BACKOFF_MS[tries];
        if (!isPassing(error)) tries += 1;
        if (backoff === undefined) {
          await bury(positioned, error, tries);
          return;
        }
        await wait(backoff, stop);
      }
    }
  };

  return async (batch: readonly Positioned[], stop: AbortSignal): Promise<void> => {
    // Another process may have replayed what this one put aside.
    if (parked === undefined || parked.size > 0) parked = await loadParked();
    const isParked = batch.some(({ event }) => parked?.has(event.subject));
    if (!isParked && batch.length > 1) {
      try {
        const traces = () => batch.map(({ event }) => ({ name: `consume ${event.type}`, parent: event.traceparent }));
        await spannedAll(traces, 'consumer', () => claimAndApply(batch));
        return;
      } catch (error) {
        log.warn({ err: error, consumer, events: batch.length }, 'batch failed, trying its events one by one');
      }
    }
    for (const positioned of batch) await one(positioned, stop);
  };
};
