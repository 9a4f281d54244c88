import type { EventDef } from '@teaching/contracts';
import type { Logger } from 'pino';
import { wait } from '../base/wait.ts';
import type { Bus } from '../rpc/message-bus.ts';
import type { Requester } from '../rpc/requester.ts';
import { record } from '../telemetry/metrics.ts';
import { type ApplierSpec, createApplier, type LogEntry, OffsetMoved, type StoreBatch } from './applier.ts';
import { queryReach } from './query-source.ts';
import { Lag } from './lag.ts';
import { entryReader, LostEntries } from './entry-reader.ts';
import type { Mailbox } from './mailbox.ts';
import type { ReadAnswer } from './source-messages.ts';
import { ApplyPipeline } from './apply-pipeline.ts';
import { logName, type Offset, offsetOf } from './offset.ts';
import { storedOffset } from './stored-offset.ts';
import { readLog } from './log-reader.ts';
import { createDeadLetterRetry } from './dead-letter-retry.ts';
import { isExpectedAtStart } from './failure-kind.ts';
import { FailureLog, reasonOf } from '../telemetry/failure-log.ts';
import type { WorkerDeps } from './worker-transaction.ts';

const BACKOFF_MS = [100, 300, 1_000, 3_000];
/** An idle follower checks this often, in milliseconds, whether a resolved problem is still stored. */
const CLEAR_MS = 10_000;
/** A broken follower checks this often whether another generation was begun. */
const BROKEN_MS = 3_000;

export interface FollowDeps extends WorkerDeps {
  bus: Bus;
  requester: Requester;
  log: Logger;
  /** Called after events were applied and committed, or the position was read again. */
  onApplied: () => void;
}

/** The options of following one log. */
export interface LogFollowerSpec extends ApplierSpec {
  /** The source service and its log. */
  source: Pick<EventDef, 'service' | 'log'>;
  /** The followed events. Other entries are only numbers. */
  follows: readonly EventDef[];
  /**
   * Called when the source no longer has applied entries or removed the next ones. Returns the offset from which to
   * continue, or undefined to stop.
   */
  onLost: (at: Offset, answer: Exclude<ReadAnswer, { state: 'ok' }>) => Promise<Offset | undefined>;
  /** Called when events of these names are followed for the first time; earlier ones were skipped. */
  onNewEvents: (names: readonly string[]) => Promise<void>;
}

/** The state of a follower in one log. */
export interface FollowerState {
  follower: string;
  log: string;
  position: Offset;
  /** The end of the log as last published. */
  head: Offset | undefined;
  broken: boolean;
  trouble: string | undefined;
  /** Number of entries not applied yet, and for how long, in milliseconds. */
  lag: number;
  behind_ms: number;
}

export const logNameOf = ({ service, log }: LogFollowerSpec['source']): string => logName(service, log);

/**
 * Follows one log. A first follow, a gap, catching up after a week and a broker that lost data are the same case.
 * Messages in order are applied; for all others the source is queried.
 */
export const createLogFollower = (deps: FollowDeps, spec: LogFollowerSpec, mailbox: Mailbox) => {
  const { follower, log, source, follows } = spec;
  const applier = createApplier(deps, spec);
  const retry = createDeadLetterRetry(deps, spec, applier);
  const position = storedOffset(deps, follower, log);
  const reader = entryReader(deps.requester, source, follows, mailbox);
  const failureLog = new FailureLog(deps.log, `${follower} cannot follow ${log}`);
  const names = [...new Set(follows.map(({ name }) => name))];
  let applied: Offset = { epoch: 0, no: 0, id: null };
  let broken = false;
  const lag = new Lag();
  /** A problem is stored, by this process or an earlier one. */
  let hasStoredTrouble = false;
  /** When the stored problem was last cleared, in milliseconds of `performance.now()`. */
  let clearedAt = 0;

  const publishedNo = (): number => mailbox.publishedHead?.no ?? applied.no;
  /** For how long entries have been missing, in milliseconds. Also records the current state. */
  const measureLag = (): number => lag.measure(applied.no, publishedNo(), performance.now());

  const setPosition = async (offset: Offset): Promise<void> => {
    await applier.storeSkipped();
    await position.set(offset);
    applied = offset;
  };

  /** Continues where release 0.1.0 stopped: before the last transaction that it had applied. */
  const carryOver = async (after_tx: readonly string[]): Promise<void> => {
    const reach = await queryReach(deps.requester, source.service, after_tx);
    const first = Math.max(0, ...Object.values(reach).map((tx) => tx.first));
    await setPosition(first === 0 ? { epoch: 0, no: 0, id: null } : { ...offsetOf(first - 1), id: null });
  };

  const open = async (): Promise<void> => {
    const row = await position.open(names);
    applied = { epoch: row.epoch, no: row.no, id: row.id };
    broken = row.broken;
    hasStoredTrouble = row.trouble !== null;
    if (row.after_tx !== null) await carryOver(row.after_tx);
    const fresh = names.filter((name) => row.followed?.includes(name) === false);
    if (fresh.length > 0 && applied.no > 0) await spec.onNewEvents(fresh);
    await applier.load();
  };

  const apply = async (
    from: Offset,
    entries: readonly LogEntry[],
    store: StoreBatch | undefined,
    stop: AbortSignal,
  ): Promise<void> => {
    await applier.apply(from, entries, store, stop);
    applied = entries.at(-1)?.offset ?? from;
    measureLag();
    hasStoredTrouble = false;
    failureLog.logRecovery();
    deps.onApplied();
  };

  /**
   * All requested entries are applied, so an earlier problem is resolved. It may still be stored: by a former leader
   * that stored it late, or by a database that executed the statement after a pause.
   */
  const clearResolvedTrouble = async (): Promise<void> => {
    measureLag();
    await applier.retryStoreSkipped();
    if (!hasStoredTrouble && performance.now() - clearedAt < CLEAR_MS) return;
    clearedAt = performance.now();
    const noted = position.clearTrouble();
    // A follower without changes to store does not report that the database is unavailable.
    await (hasStoredTrouble ? noted : noted.catch(() => {}));
    if (hasStoredTrouble) failureLog.logRecovery();
    hasStoredTrouble = false;
  };

  const onGap = (): void => record.filledGap(follower, log);

  /** Follows until a failure. */
  const followUntilFailure = async (stop: AbortSignal): Promise<void> => {
    await open();
    if (broken) return wait(BROKEN_MS, stop);
    const pipeline = new ApplyPipeline(
      (from, entries, store) => apply(from, entries, store, stop),
      () => mailbox.wake(),
    );
    try {
      await readLog(
        { mailbox, reader, pipeline, prepare: applier.read, setPosition, onEnd: clearResolvedTrouble, onGap },
        applied,
        stop,
      );
    } finally {
      // The entries in progress still move the offset: it is not read or set until they are done.
      await pipeline.idle();
      await applier.storeSkipped().catch(() => {});
    }
    pipeline.check();
  };

  const handleFailure = async (error: unknown, failures: number): Promise<void> => {
    if (error instanceof LostEntries) {
      const at = await spec.onLost(applied, error.answer);
      if (at === undefined) broken = true;
      else await setPosition(at);
      return;
    }
    if (error instanceof OffsetMoved || isExpectedAtStart(error, failures)) return;
    failureLog.report(error);
    hasStoredTrouble = true;
    try {
      await position.storeTrouble(reasonOf(error));
    } catch {
      // The database is the problem; the service's log reports it.
    }
  };

  const run = async (stop: AbortSignal): Promise<void> => {
    for (let failures = 0; !stop.aborted; failures += 1) {
      const begun = performance.now();
      try {
        await followUntilFailure(stop);
      } catch (error) {
        if (stop.aborted) return;
        await handleFailure(error, failures).catch((fault: unknown) => failureLog.report(fault));
      }
      if (performance.now() - begun > 10_000) failures = 0;
      await wait(BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)] ?? 0, stop);
    }
  };

  return {
    run: async (stop: AbortSignal): Promise<void> => {
      const rouse = (): void => mailbox.wake();
      stop.addEventListener('abort', rouse, { once: true });
      await Promise.all([run(stop), retry.run(stop)]);
    },
    state: (): FollowerState => ({
      follower,
      log,
      position: applied,
      head: mailbox.publishedHead,
      broken,
      trouble: failureLog.reason,
      lag: Math.max(0, publishedNo() - applied.no),
      behind_ms: measureLag(),
    }),
  };
};
export type LogFollower = ReturnType<typeof createLogFollower>;
