import type { Logger } from 'pino';
import { notNull, p } from '../db/columns.ts';
import { ConnectionLost } from '../db/database-fault.ts';
import { statement } from '../db/statement.ts';
import { record } from '../telemetry/metrics.ts';
import { withSpans } from '../telemetry/trace.ts';
import type { AppliedTransactions } from './applied-transactions.ts';
import { type Obstacle, storeDeadLetter, AGGREGATES_WITH_DEAD_LETTERS } from './dead-letter-statements.ts';
import { FOLLOWER_POSITION } from './follower.table.ts';
import { BlockedEvents } from './blocked-events.ts';
import { SkippedEntries } from './skipped-entries.ts';
import type { Offset } from './offset.ts';
import type { ReceivedEvent } from './received-event.ts';
import { failureKindOf } from './failure-kind.ts';
import { reasonOf } from '../telemetry/failure-log.ts';
import type { Mutex } from '../base/mutex.ts';
import { inWorkerTransaction, type WorkerDeps, type WorkerTransaction } from './worker-transaction.ts';
import { WakeSignal } from './wake-signal.ts';

/** Stores the data derived from events, in the transaction that moves the position. */
export type StoreBatch = (tx: WorkerTransaction, generation: number) => Promise<void>;
/**
 * Reads events in order without side effects, and returns the function that stores the result. It is called in advance,
 * while earlier events are being stored.
 */
export type ReadBatch = (events: readonly ReceivedEvent[]) => StoreBatch;

/** An entry of a log for a follower. Without an event it is only a number. */
export interface LogEntry {
  offset: Offset;
  event: ReceivedEvent | undefined;
  /** The reason why no try can apply it: its version is unknown to this code. */
  unsupportedReason?: string;
}

/** Another process moved the position, or it is not where this process expected it. Nothing was stored. */
export class OffsetMoved extends Error {}

export interface ApplierSpec {
  follower: string;
  generation: number;
  log: string;
  apply: ReadBatch;
  /** Held by each transaction that changes the derived data of this follower. */
  mutex: Mutex;
  /** Gets the events that were applied, after the commit. */
  appliedTransactions: AppliedTransactions;
}

const AT = FOLLOWER_POSITION.pick('no');
const MOVE = statement(
  `update follower_position set epoch = $5, no = $6, id = $7, trouble = null, trouble_since = null
   where follower = $1 and log = $2 and epoch = $3 and no = $4 returning no`,
  AT.shape,
);
/**
 * The offset is stored together with the derived data, so entries that a crash loses are read again: the commit need
 * not wait for the disk. Waiting for a lock does not make a statement slow, hence its shorter limit.
 */
const LIMITS = statement(
  `select set_config('synchronous_commit', 'off', true) as commit, set_config('statement_timeout', $1, true) as statement,
     set_config('lock_timeout', $2, true) as lock`,
  { commit: notNull(p.text()), statement: notNull(p.text()), lock: notNull(p.text()) },
);
const CONTROL = statement('select no from follower_position where follower = $1 and log = $2', AT.shape);

const BATCH_LIMIT_MS = 600;
const PART_LIMIT_MS = 300;
/** A failed batch is tried again in this many parts. */
const PARTS = 8;

export const setTimeLimits = (tx: WorkerTransaction, ms: number): void =>
  tx.run(LIMITS, `${ms}ms`, `${Math.ceil(ms * 0.8)}ms`);

const partsOf = <T>(list: readonly T[]): T[][] => {
  const size = Math.ceil(list.length / PARTS);
  return Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));
};

/** True if no entry has an event to apply. */
const haveNoEvents = (entries: readonly LogEntry[]): boolean => entries.every(({ event }) => event === undefined);

/**
 * Applies entries of one log exactly once: the derived data and the position are stored in one transaction, and the
 * position moves only from its expected value. Entries of events that are not followed are skipped, see
 * `SkippedEntries`. An event that cannot be applied becomes a dead letter, with all later events of its organization
 * and aggregate. Others do not wait for it.
 */
export const createApplier = (deps: WorkerDeps & { log: Logger }, spec: ApplierSpec) => {
  const { follower, generation, log, apply, mutex } = spec;
  const blocked = new BlockedEvents();
  /** Woken when an event becomes a dead letter. */
  const deadLetterAdded = new WakeSignal();

  const addDeadLetter = (tx: WorkerTransaction, { event, offset }: LogEntry, obstacle: Obstacle): void => {
    if (event === undefined) return;
    storeDeadLetter(tx, spec, event, offset, obstacle);
    blocked.block(event);
    deadLetterAdded.wake();
    record.followedEvents(follower, log, 'dead', 1);
    if (obstacle.tries > 0) {
      const { id, type, orgid } = event;
      deps.log.error(
        { follower, log, event_id: id, type, org_id: orgid, reason: obstacle.reason },
        'event could not be applied: it is a dead letter now',
      );
    }
  };

  const move = (tx: WorkerTransaction, from: Offset, to: Offset): Promise<void> =>
    tx.query(MOVE, follower, log, from.epoch, from.no, to.epoch, to.no, to.id).then((rows) => {
      if (rows.length === 0)
        throw new OffsetMoved(`the position of ${follower} in ${log} is not ${from.epoch}/${from.no}`);
    });

  /** `store` was read from all events of the entries. It is used only if none of them becomes a dead letter. */
  const attempt = (
    from: Offset,
    entries: readonly LogEntry[],
    store: StoreBatch | undefined,
    limit_ms: number,
    blame?: Obstacle,
  ): Promise<void> =>
    mutex.run(async () => {
      const to = entries.at(-1)?.offset;
      if (to === undefined) return;
      const { fresh, dead } = blocked.partition(entries, blame);
      const derive = fresh.length === 0 ? undefined : dead.length === 0 && store ? store : apply(fresh);
      await inWorkerTransaction(deps, async (tx) => {
        setTimeLimits(tx, limit_ms);
        await Promise.all([move(tx, skipped.storedOffset(from), to), derive?.(tx, generation)]);
        for (const [entry, obstacle] of dead) addDeadLetter(tx, entry, obstacle);
      });
      skipped.reset();
      spec.appliedTransactions.add(fresh);
      record.followedEvents(follower, log, 'applied', fresh.length);
    });

  const storeSkipped = (): Promise<void> =>
    mutex.run(async () => {
      const to = skipped.lastOffset;
      if (to === undefined) return;
      await inWorkerTransaction(deps, async (tx) => {
        setTimeLimits(tx, PART_LIMIT_MS);
        await move(tx, skipped.storedOffset(to), to);
      });
      skipped.markStored(to);
    });
  const skipped = new SkippedEntries(storeSkipped);

  /**
   * Throws `ConnectionLost` if a statement without relation to the event is slow too: then the database is the cause,
   * not the event.
   */
  const requireHealthyDatabase = async (): Promise<void> => {
    await inWorkerTransaction(deps, async (tx) => {
      setTimeLimits(tx, PART_LIMIT_MS);
      await tx.query(CONTROL, follower, log);
    }).catch((error: unknown) => {
      throw new ConnectionLost('the database is too slow', { cause: error });
    });
  };

  const inParts = async (from: Offset, entries: readonly LogEntry[], stop: AbortSignal): Promise<void> => {
    let at = from;
    for (const part of partsOf(entries)) {
      if (stop.aborted) return;
      await applyPart(at, part, undefined, PART_LIMIT_MS, stop);
      at = part.at(-1)?.offset ?? at;
    }
  };

  const applyPart = async (
    from: Offset,
    entries: readonly LogEntry[],
    store: StoreBatch | undefined,
    limit_ms: number,
    stop: AbortSignal,
  ): Promise<void> => {
    try {
      await attempt(from, entries, store, limit_ms);
    } catch (error) {
      if (error instanceof OffsetMoved || stop.aborted) throw error;
      const failureKind = failureKindOf(error);
      if (failureKind === 'environment') throw error;
      if (entries.length > 1) {
        deps.log.warn({ err: error, follower, log, entries: entries.length }, 'a batch failed, trying again in parts');
        await inParts(from, entries, stop);
        return;
      }
      if (failureKind === 'slow') {
        await requireHealthyDatabase();
        for (const { event } of entries) if (event !== undefined) blocked.noteSlow(event);
      }
      await attempt(from, entries, undefined, limit_ms, { reason: reasonOf(error), tries: 1 });
    }
  };

  const traces = (entries: readonly LogEntry[]) =>
    entries.flatMap(({ event }) =>
      event === undefined ? [] : [{ name: `follow ${event.type}`, parent: event.traceparent }],
    );

  return {
    /** Reads from the database which aggregates have dead letters. */
    load: async (): Promise<void> => {
      skipped.reset();
      blocked.setBlockedAggregates(
        await inWorkerTransaction(deps, (tx) => tx.query(AGGREGATES_WITH_DEAD_LETTERS, follower, log)),
      );
      if (blocked.hasBlocked) deadLetterAdded.wake();
    },
    /** Whether any aggregate has dead letters. */
    hasDeadLetters: (): boolean => blocked.hasBlocked,
    /** Waits for `ms` milliseconds or until the next dead letter. */
    awaitDeadLetter: (ms: number, signal: AbortSignal): Promise<boolean> => deadLetterAdded.pause(ms, signal),
    /** Call when the last dead letter of an aggregate was applied: its next events need not wait. */
    release: (org_id: string, aggregate_id: string): void => blocked.release(org_id, aggregate_id),
    /** Reads a batch in advance. Returns undefined if it cannot be read; it then fails in parts when it is applied. */
    read: (entries: readonly LogEntry[]): StoreBatch | undefined => {
      try {
        return apply(entries.flatMap(({ event }) => (event === undefined ? [] : [event])));
      } catch {
        return undefined;
      }
    },
    apply: async (
      from: Offset,
      entries: readonly LogEntry[],
      store: StoreBatch | undefined,
      stop: AbortSignal,
    ): Promise<void> => {
      const to = entries.at(-1)?.offset;
      if (to !== undefined && haveNoEvents(entries)) return skipped.add(from, to);
      return withSpans(
        () => traces(entries),
        'consumer',
        () => applyPart(from, entries, store, BATCH_LIMIT_MS, stop),
      );
    },
    /** Stores the offset after skipped entries, if any. */
    storeSkipped,
    /** Stores it again if the last attempt failed. */
    retryStoreSkipped: async (): Promise<void> => (skipped.isOverdue ? storeSkipped() : undefined),
  };
};
export type Applier = ReturnType<typeof createApplier>;
