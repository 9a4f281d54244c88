import type { Logger } from 'pino';
import { databaseFault } from '../db/connection.ts';
import { wait } from '../db/leader.ts';
import { statement } from '../db/statement.ts';
import { record } from '../telemetry/metrics.ts';
import { spanned, spannedAll } from '../telemetry/trace.ts';
import type { Received } from './batch.ts';
import { inWorkerTx, type WorkerDeps, type WorkerTx } from './tx.ts';

/** Stores what was read from events, in the transaction that notes them as seen. */
export type Store = (tx: WorkerTx) => Promise<void>;
/**
 * Reads events, in order, without touching anything, and answers what stores them. A batch is read while
 * the one before it is being stored. When some of its events turn out to be known, nothing of it holds, and
 * the others are read again.
 */
export type Apply = (events: readonly Received[]) => Store;

export interface Positioned {
  event: Received;
  stream_seq: number;
}

/** One row for each transaction of a source (and each org, when a job worked for several), with its events that were seen. */
const CLAIM = statement<{ seen: string[] | null }>(`
  insert into inbox (tx_id, org_id, event_ids)
  select tx_id, org_id, array_agg(distinct id)
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as e(tx_id, org_id, id) group by tx_id, org_id
  on conflict (tx_id, org_id) do update set event_ids = inbox.event_ids || array(
    select unnest(excluded.event_ids) except select unnest(inbox.event_ids)
  ) returning old.event_ids as seen`);
/** One transaction at a time changes the projection: a consumer's batch, or a dead letter that is replayed. */
const APPLYING = statement("select pg_advisory_xact_lock(hashtextextended('apply ' || current_schema(), 13))");
const ADVANCE = statement(
  'update consumer_position set stream_seq = greatest(stream_seq, $2), updated_at = now() where consumer = $1',
);
const BURY = statement(`
  insert into dead_letter (consumer, event_id, org_id, aggregate_id, event, error, tries)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`);
const PARKED = statement<{ aggregate_id: string }>(
  'select distinct aggregate_id from dead_letter where replayed_at is null',
);
const IS_PARKED = statement<{ parked: boolean }>(
  'select exists (select from dead_letter where aggregate_id = $1 and replayed_at is null) as parked',
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

/** Waits for its turn to change the projection. */
export const takeTurn = (tx: WorkerTx): void => tx.run(APPLYING);

/** Notes events as seen and answers those that were not before, in order. */
export const claim = async (tx: WorkerTx, events: readonly Received[]): Promise<Received[]> => {
  const rows = await tx.query(
    CLAIM,
    events.map(({ txid }) => txid),
    events.map(({ orgid }) => orgid),
    events.map(({ id }) => id),
  );
  const seen = new Set(rows.flatMap((row) => row.seen ?? []));
  return events.filter(({ id }) => !seen.has(id) && seen.add(id));
};

/** What was stored went ahead on something that turned out otherwise: nothing of it holds, and it is done once more. */
export class TryAgain extends Error {}

/** Does it once more when it asks for that. */
export const orAgain = async <T>(work: (again: boolean) => Promise<T>): Promise<T> => {
  try {
    return await work(false);
  } catch (error) {
    if (!(error instanceof TryAgain)) throw error;
    return work(true);
  }
};

/**
 * Applies batches of one consumer exactly once in effect. The inbox row and the projection share a
 * transaction. A batch that fails is tried event by event; an event that keeps failing is put aside as
 * a dead letter together with all later events of its aggregate, so that order holds on replay.
 */
export const createApplier = (consumer: string, deps: WorkerDeps, apply: Apply, log: Logger) => {
  let parked: Set<string> | undefined;

  const loadParked = async (): Promise<Set<string>> =>
    new Set((await inWorkerTx(deps, (tx) => tx.query(PARKED))).map((row) => row.aggregate_id));

  /** With `store`, all events are taken for new: they are stored in the same breath as they are claimed. */
  const tryToApply = (batch: readonly Positioned[], store: Store | undefined): Promise<void> =>
    inWorkerTx(deps, async (tx) => {
      const last = batch.at(-1);
      if (last === undefined) return;
      takeTurn(tx);
      const claiming = claim(
        tx,
        batch.map(({ event }) => event),
      );
      const [events] = await Promise.all([claiming, store?.(tx)]);
      if (store === undefined && events.length > 0) await apply(events)(tx);
      else if (store !== undefined && events.length < batch.length) throw new TryAgain();
      tx.run(ADVANCE, consumer, last.stream_seq);
      record.consumed(consumer, 'applied', events.length);
      record.consumed(consumer, 'duplicate', batch.length - events.length);
    });

  const claimAndApply = (batch: readonly Positioned[], store: Store | undefined): Promise<void> =>
    orAgain((again) => tryToApply(batch, again ? undefined : store));

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
      takeTurn(tx);
      const [row] = await tx.query(IS_PARKED, event.subject);
      if (row?.parked !== true) return false;
      putAside(tx, positioned, 'an earlier event of this aggregate is a dead letter', 0);
      return true;
    });
    if (waits) record.consumed(consumer, 'dead', 1);
    else parked?.delete(event.subject);
    return waits;
  };

  const one = async (positioned: Positioned, store: Store | undefined, stop: AbortSignal): Promise<void> => {
    const { event } = positioned;
    if (parked?.has(event.subject) && (await queueBehind(positioned))) return;
    for (let tries = 0; !stop.aborted;) {
      try {
        await spanned(`consume ${event.type}`, { kind: 'consumer', parent: event.traceparent }, () =>
          claimAndApply([positioned], tries === 0 ? store : undefined),
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

  /** Reads a batch before its turn; one that cannot be read fails when it is applied, event by event. */
  const read = (batch: readonly Positioned[]): Store | undefined => {
    if (batch.length === 0) return undefined;
    try {
      return apply(batch.map(({ event }) => event));
    } catch {
      return undefined;
    }
  };

  const applyBatch = async (
    batch: readonly Positioned[],
    store: Store | undefined,
    stop: AbortSignal,
  ): Promise<void> => {
    // Another process may have replayed what this one put aside.
    if (parked === undefined || parked.size > 0) parked = await loadParked();
    const isParked = batch.some(({ event }) => parked?.has(event.subject));
    if (!isParked && batch.length > 1) {
      try {
        const traces = () => batch.map(({ event }) => ({ name: `consume ${event.type}`, parent: event.traceparent }));
        await spannedAll(traces, 'consumer', () => claimAndApply(batch, store));
        return;
      } catch (error) {
        log.warn({ err: error, consumer, events: batch.length }, 'batch failed, trying its events one by one');
      }
    }
    for (const positioned of batch) await one(positioned, batch.length === 1 ? store : undefined, stop);
  };

  return { read, applyBatch };
};
