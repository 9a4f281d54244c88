import type { Logger } from 'pino';
import { always, p } from '../db/columns.ts';
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

/** Stores what was read from events, in the transaction that moves the position. */
export type StoreBatch = (tx: WorkerTransaction, generation: number) => Promise<void>;
/** Reads events, in order, without touching anything, and answers what stores them. Read ahead while others are stored. */
export type ReadBatch = (events: readonly ReceivedEvent[]) => StoreBatch;

/** An entry of a log as a follower sees it; without an event it is only a number. */
export interface LogEntry {
  place: Offset;
  event: ReceivedEvent | undefined;
  /** Why it cannot be applied whatever is tried: a version that is not known here. */
  unknown?: string;
}

/** Somebody else moved the position, or it is not where it was thought to be: nothing holds. */
export class OffsetMoved extends Error {}

export interface ApplierSpec {
  follower: string;
  generation: number;
  log: string;
  apply: ReadBatch;
  /** One transaction at a time changes what this follower derived. */
  turn: Mutex;
  /** Told what was applied, once it is committed. */
  lately: AppliedTransactions;
}

const AT = FOLLOWER_POSITION.some('no');
const MOVE = statement(
  `update follower_position set epoch = $5, no = $6, id = $7, trouble = null, trouble_since = null
   where follower = $1 and log = $2 and epoch = $3 and no = $4 returning no`,
  AT.shape,
);
/**
 * Where it stands is stored with what it derived, so what a crash takes from the end is read again: no need to
 * wait for the disk. Who waits for a lock is no slow statement, hence the shorter limit for that.
 */
const LIMITS = statement(
  `select set_config('synchronous_commit', 'off', true) as commit, set_config('statement_timeout', $1, true) as statement,
     set_config('lock_timeout', $2, true) as lock`,
  { commit: always(p.text()), statement: always(p.text()), lock: always(p.text()) },
);
const CONTROL = statement('select no from follower_position where follower = $1 and log = $2', AT.shape);

const BATCH_LIMIT_MS = 600;
const PART_LIMIT_MS = 300;
/** A batch that failed is tried in this many parts. */
const PARTS = 8;

export const setTimeLimits = (tx: WorkerTransaction, ms: number): void =>
  tx.run(LIMITS, `${ms}ms`, `${Math.ceil(ms * 0.8)}ms`);

const partsOf = <T>(list: readonly T[]): T[][] => {
  const size = Math.ceil(list.length / PARTS);
  return Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));
};

/** Nothing that is followed: there is nothing to store. */
const areNumbers = (entries: readonly LogEntry[]): boolean => entries.every(({ event }) => event === undefined);

/**
 * Applies entries of one log exactly once: what they tell and the position share a transaction, and the position
 * moves only from where it was. Numbers of events that are not followed are passed, see `SkippedEntries`. An event that cannot be
 * applied becomes a dead letter with all later ones of its organization and aggregate, and nobody else waits for it.
 */
export const createApplier = (deps: WorkerDeps & { log: Logger }, spec: ApplierSpec) => {
  const { follower, generation, log, apply, turn } = spec;
  const blocked = new BlockedEvents();
  /** Woken when an event becomes a dead letter. */
  const deadLetterKept = new WakeSignal();

  const keepAsDeadLetter = (tx: WorkerTransaction, { event, place }: LogEntry, why: Obstacle): void => {
    if (event === undefined) return;
    storeDeadLetter(tx, spec, event, place, why);
    blocked.block(event);
    deadLetterKept.wake();
    record.followed(follower, log, 'dead', 1);
    if (why.tries > 0) {
      const { id, type, orgid } = event;
      deps.log.error(
        { follower, log, event_id: id, type, org_id: orgid, reason: why.reason },
        'event is a dead letter: it could not be applied',
      );
    }
  };

  const move = (tx: WorkerTransaction, from: Offset, to: Offset): Promise<void> =>
    tx.query(MOVE, follower, log, from.epoch, from.no, to.epoch, to.no, to.id).then((rows) => {
      if (rows.length === 0)
        throw new OffsetMoved(`the position of ${follower} in ${log} is not ${from.epoch}/${from.no}`);
    });

  /** `store` was read from all events of the entries; it holds only if none of them has to wait. */
  const attempt = (
    from: Offset,
    entries: readonly LogEntry[],
    store: StoreBatch | undefined,
    limit_ms: number,
    blame?: Obstacle,
  ): Promise<void> =>
    turn.run(async () => {
      const to = entries.at(-1)?.place;
      if (to === undefined) return;
      const { fresh, dead } = blocked.sort(entries, blame);
      const derive = fresh.length === 0 ? undefined : dead.length === 0 && store ? store : apply(fresh);
      await inWorkerTransaction(deps, async (tx) => {
        setTimeLimits(tx, limit_ms);
        await Promise.all([move(tx, skipped.stored(from), to), derive?.(tx, generation)]);
        for (const [entry, why] of dead) keepAsDeadLetter(tx, entry, why);
      });
      skipped.forget();
      spec.lately.add(fresh);
      record.followed(follower, log, 'applied', fresh.length);
    });

  const storeSkipped = (): Promise<void> =>
    turn.run(async () => {
      const to = skipped.end;
      if (to === undefined) return;
      await inWorkerTransaction(deps, async (tx) => {
        setTimeLimits(tx, PART_LIMIT_MS);
        await move(tx, skipped.stored(to), to);
      });
      skipped.storedTo(to);
    });
  const skipped = new SkippedEntries(storeSkipped);

  /** A statement that has nothing to do with the event is well: the event is to blame, not the database. */
  const requireWell = async (): Promise<void> => {
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
      at = part.at(-1)?.place ?? at;
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
      const trouble = failureKindOf(error);
      if (trouble === 'environment') throw error;
      if (entries.length > 1) {
        deps.log.warn({ err: error, follower, log, entries: entries.length }, 'a batch failed, trying it in parts');
        await inParts(from, entries, stop);
        return;
      }
      if (trouble === 'slow') {
        await requireWell();
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
    /** Begins where the database says, and finds out which aggregates have dead letters. */
    load: async (): Promise<void> => {
      skipped.forget();
      blocked.blockOnly(await inWorkerTransaction(deps, (tx) => tx.query(AGGREGATES_WITH_DEAD_LETTERS, follower, log)));
      if (blocked.isAnyBlocked) deadLetterKept.wake();
    },
    /** Whether there are any. */
    hasDeadLetters: (): boolean => blocked.isAnyBlocked,
    /** Waits for so long, or until there is another one. */
    awaitDeadLetter: (ms: number, signal: AbortSignal): Promise<boolean> => deadLetterKept.pause(ms, signal),
    /** An aggregate's last dead letter was applied: its next events need not wait. */
    release: (org_id: string, aggregate_id: string): void => blocked.release(org_id, aggregate_id),
    /** Reads a batch before its turn; one that cannot be read fails when it is applied, in parts. */
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
      const to = entries.at(-1)?.place;
      if (to !== undefined && areNumbers(entries)) return skipped.add(from, to);
      return withSpans(
        () => traces(entries),
        'consumer',
        () => applyPart(from, entries, store, BATCH_LIMIT_MS, stop),
      );
    },
    /** Stores that numbers were passed, if any were. */
    storeSkipped,
    /** The same when that was tried and failed. */
    storeSkippedAgain: async (): Promise<void> => (skipped.isOverdue ? storeSkipped() : undefined),
  };
};
export type Applier = ReturnType<typeof createApplier>;
