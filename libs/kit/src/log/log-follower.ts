import type { EventDef } from '@teaching/contracts';
import type { Logger } from 'pino';
import { wait } from '../base/wait.ts';
import type { Bus } from '../rpc/connect.ts';
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
/** One that has nothing to do looks so often whether trouble is still on record that is over. */
const CALM_MS = 10_000;
/** One that is broken waits for somebody to begin another generation. */
const BROKEN_MS = 3_000;

export interface FollowDeps extends WorkerDeps {
  bus: Bus;
  requester: Requester;
  log: Logger;
  /** Events were applied and committed, or the position is otherwise known anew. */
  onApplied: () => void;
}

/** The part of a follower that follows one log. */
export interface LogFollowerSpec extends ApplierSpec {
  /** The service whose log it is, and which. */
  source: Pick<EventDef, 'service' | 'log'>;
  /** The events that are followed; others are numbers only. */
  follows: readonly EventDef[];
  /**
   * The source does not have what was applied, or removed what comes next. Answers from where to go on, or
   * nothing when this follower is to stop here.
   */
  lost: (at: Offset, answer: Exclude<ReadAnswer, { state: 'ok' }>) => Promise<Offset | undefined>;
  /** Events of these names are followed for the first time; earlier ones were passed over. */
  passedOver: (names: readonly string[]) => Promise<void>;
}

/** How far a follower is in one log, for whoever looks. */
export interface FollowerState {
  follower: string;
  log: string;
  position: Offset;
  /** Where the log ends, as last told. */
  head: Offset | undefined;
  broken: boolean;
  trouble: string | undefined;
  /** Events that are still to come, and for how long some have been. */
  lag: number;
  behind_ms: number;
}

export const logNameOf = ({ service, log }: LogFollowerSpec['source']): string => logName(service, log);

/**
 * Follows one log: a first follow, a gap, catching up after a week and a broker that forgot are the same. What
 * arrives in order is applied; for everything else the source is asked.
 */
export const createLogFollower = (deps: FollowDeps, spec: LogFollowerSpec, mailbox: Mailbox) => {
  const { follower, log, source, follows } = spec;
  const applier = createApplier(deps, spec);
  const retry = createDeadLetterRetry(deps, spec, applier);
  const position = storedOffset(deps, follower, log);
  const reader = entryReader(deps.requester, source, follows, mailbox);
  const teller = new FailureLog(deps.log, `${follower} does not follow ${log}`);
  const names = [...new Set(follows.map(({ name }) => name))];
  let applied: Offset = { epoch: 0, no: 0, id: null };
  let broken = false;
  const lag = new Lag();
  /** Trouble is on record, of this process or of one before it. */
  let troubled = false;
  /** When it was last made sure that none is, in epoch milliseconds. */
  let calmedAt = 0;

  const toldNo = (): number => mailbox.told?.no ?? applied.no;
  /** For how long it has lacked something, in milliseconds; somebody who looks finds that it does. */
  const measureLag = (): number => lag.look(applied.no, toldNo(), Date.now());

  const setPosition = async (place: Offset): Promise<void> => {
    await applier.storeSkipped();
    await position.set(place);
    applied = place;
  };

  /** Goes on where the machinery before the log had stopped: before the last transaction it had applied. */
  const carryOver = async (after_tx: readonly string[]): Promise<void> => {
    const reach = await queryReach(deps.requester, source.service, after_tx);
    const first = Math.max(0, ...Object.values(reach).map((tx) => tx.first));
    await setPosition(first === 0 ? { epoch: 0, no: 0, id: null } : { ...offsetOf(first - 1), id: null });
  };

  const open = async (): Promise<void> => {
    const row = await position.open(names);
    applied = { epoch: row.epoch, no: row.no, id: row.id };
    broken = row.broken;
    troubled = row.trouble !== null;
    if (row.after_tx !== null) await carryOver(row.after_tx);
    const fresh = names.filter((name) => row.followed?.includes(name) === false);
    if (fresh.length > 0 && applied.no > 0) await spec.passedOver(fresh);
    await applier.load();
  };

  const apply = async (
    from: Offset,
    entries: readonly LogEntry[],
    store: StoreBatch | undefined,
    stop: AbortSignal,
  ): Promise<void> => {
    await applier.apply(from, entries, store, stop);
    applied = entries.at(-1)?.place ?? from;
    measureLag();
    troubled = false;
    teller.over();
    deps.onApplied();
  };

  /**
   * Everything that was asked for is here: what stood in the way is over. It may be on record all the same: by a leader
   * before this one that noted it late, or by a database that stood still with the note and did it when it went on.
   */
  const calm = async (): Promise<void> => {
    measureLag();
    await applier.storeSkippedAgain();
    if (!troubled && Date.now() - calmedAt < CALM_MS) return;
    calmedAt = Date.now();
    const noted = position.noteCalm();
    // Who has nothing to store need not know that the database is away.
    await (troubled ? noted : noted.catch(() => {}));
    if (troubled) teller.over();
    troubled = false;
  };

  const onGap = (): void => record.filled(follower, log);

  /** One stretch of following, until something goes wrong. */
  const stretch = async (stop: AbortSignal): Promise<void> => {
    await open();
    if (broken) return wait(BROKEN_MS, stop);
    const work = new ApplyPipeline(
      (from, entries, store) => apply(from, entries, store, stop),
      () => mailbox.rouse(),
    );
    try {
      await readLog({ mailbox, reader, work, prepare: applier.read, setPosition, onEnd: calm, onGap }, applied, stop);
    } finally {
      // What is being applied moves the place: nobody reads or sets it meanwhile.
      await work.idle();
      await applier.storeSkipped().catch(() => {});
    }
    work.check();
  };

  const explain = async (error: unknown, failures: number): Promise<void> => {
    if (error instanceof LostEntries) {
      const at = await spec.lost(applied, error.answer);
      if (at === undefined) broken = true;
      else await setPosition(at);
      return;
    }
    if (error instanceof OffsetMoved || isExpectedAtStart(error, failures)) return;
    teller.tell(error);
    troubled = true;
    try {
      await position.noteTrouble(reasonOf(error));
    } catch {
      // The database itself is the trouble; the log says so.
    }
  };

  const runStretches = async (stop: AbortSignal): Promise<void> => {
    for (let failures = 0; !stop.aborted; failures += 1) {
      const begun = Date.now();
      try {
        await stretch(stop);
      } catch (error) {
        if (stop.aborted) return;
        await explain(error, failures).catch((fault: unknown) => teller.tell(fault));
      }
      if (Date.now() - begun > 10_000) failures = 0;
      await wait(BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)] ?? 0, stop);
    }
  };

  return {
    run: async (stop: AbortSignal): Promise<void> => {
      const rouse = (): void => mailbox.rouse();
      stop.addEventListener('abort', rouse, { once: true });
      await Promise.all([runStretches(stop), retry.run(stop)]);
    },
    state: (): FollowerState => ({
      follower,
      log,
      position: applied,
      head: mailbox.told,
      broken,
      trouble: teller.reason,
      lag: Math.max(0, toldNo() - applied.no),
      behind_ms: measureLag(),
    }),
  };
};
export type LogFollower = ReturnType<typeof createLogFollower>;
