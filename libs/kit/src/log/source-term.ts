import { allEvents, type LogKind } from '@teaching/contracts';
import { record } from '../telemetry/metrics.ts';
import type { HintPublisher } from './hint-publisher.ts';
import type { LogHead } from './log-statements.ts';
import { logSubjects } from './source-messages.ts';
import { NUMBERING_BATCH, numberEntries } from './numbering.ts';
import { openEpoch } from './open-epoch.ts';
import { type Offset } from './offset.ts';
import { BatchingDelay } from './batching-delay.ts';
import { startStreamPublishing, type StreamPublishing } from './publish-stream.ts';
import { RecentTransactions } from './recent-transactions.ts';
import type { SourceDeps } from './source-deps.ts';
import {
  isEndOf,
  headOf,
  isBehind,
  lastEntryUnderLock,
  EMPTY_TAIL,
  readTail,
  storeHighWaterMark,
  type LogTail,
  withNumbered,
  withHighWaterMark,
} from './log-tail.ts';
import { changedTimeline } from './timeline.ts';
import { FailureLog } from '../telemetry/failure-log.ts';
import { WakeSignal } from './wake-signal.ts';

/** Poll interval: commits wake the loop, but an instance may have been killed before it could notify. */
const POLL_MS = 2_000;
const PUBLISH_HEADS_MS = 1_000;
/** The heads are published this many times after a change, so that a lost message is noticed quickly, */
const PUBLISHED_AFTER_CHANGE = 5;
/** and then every so many seconds. */
const PUBLISHED_EVERY = 5;
const BACKOFF_MS = 500;
/** A gap that is older than this, in milliseconds, was probably rolled back. */
const GAP_MS = 1_000;

/** The logs of a service: those for which its contracts define events. */
export const logKindsOf = (service: string): LogKind[] => [
  ...new Set(allEvents.filter((event) => event.service === service).map(({ log }) => log)),
];

/**
 * One term of a source: numbers committed entries, publishes them, and knows the ends of its logs. Only one instance
 * does so at a time. Two would do no harm: numbers are given under the lock of the heads.
 */
export class SourceTerm {
  readonly #deps: SourceDeps;
  readonly #signal: AbortSignal;
  readonly #hints: HintPublisher;
  readonly #waker = new WakeSignal();
  readonly #failureLog: FailureLog;
  #tail: LogTail = EMPTY_TAIL;
  /** The entry before the first gap, and since when the gap exists. */
  #gap = { after: 0, since: 0 };
  #publishing: StreamPublishing[] = [];
  /** The heads published last, and how often. */
  #published = { heads: '', times: 0 };
  /** Callers that wait for a round of numbering that begins after their call. */
  #waiters: (() => void)[] = [];
  /** When this instance learned of the oldest commit that the next round numbers. Undefined: of none. */
  #learnedAt: number | undefined;
  readonly #batchingDelay = new BatchingDelay();
  readonly recentTransactions = new RecentTransactions();

  constructor(deps: SourceDeps, signal: AbortSignal, hints: HintPublisher) {
    this.#deps = deps;
    this.#signal = signal;
    this.#hints = hints;
    this.#failureLog = new FailureLog(deps.log, 'events cannot be numbered');
  }

  head(kind: LogKind): LogHead {
    const head = headOf(this.#tail, kind);
    if (head === undefined) throw new Error(`${this.#deps.service} has no ${kind} log`);
    return head;
  }

  /** Call after events were committed. */
  nudge(): void {
    this.#learnedAt ??= performance.now();
    this.#waker.wake();
  }

  /** Resolves when all entries committed before the call are numbered. */
  awaitNumbering(): Promise<void> {
    if (this.#signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
      this.#waker.wake();
    });
  }

  /** Reads the ends of the logs again. The database may be ahead of or behind this instance. */
  async reload(): Promise<void> {
    this.#tail = await readTail(this.#deps.pool);
  }

  /**
   * Call when a stream or follower has an event that the database does not have: the database was restored. The logs
   * continue in a new epoch, unless another instance has opened one.
   */
  async openEpochAfterRestore(kind: LogKind, seen: Offset, who: string): Promise<void> {
    const { service, pool, log } = this.#deps;
    const { epoch, no } = seen;
    const isNew = await openEpoch(pool, service, { epoch, up_to: { [kind]: no } }, `${who} had seen ${epoch}/${no}`);
    await this.reload();
    if (!isNew) return;
    log.error(
      { log: kind, seen, head: this.head(kind), who },
      'the log went back: the database was restored to an earlier state; a new epoch begins',
    );
    record.restoredLog(service);
    this.nudge();
  }

  /**
   * A restored or promoted server may lack published events, even if no follower knows of them. New events must not get
   * the numbers of lost ones, so a new epoch begins.
   */
  async #checkTimeline(): Promise<void> {
    const { service, pool, log } = this.#deps;
    const timeline = await changedTimeline(pool);
    if (timeline === undefined) return;
    const epoch = Math.max(...this.#tail.heads.map((head) => head.epoch));
    const isNew = await openEpoch(pool, service, { epoch, up_to: {} }, `Postgres changed to timeline ${timeline}`);
    await this.reload();
    if (!isNew) return;
    log.warn(
      { timeline, heads: this.#tail.heads },
      'Postgres was restored or another server was promoted: a new epoch begins',
    );
  }

  /**
   * Runs until the term ends. `onReady` is called once it is known whether the logs were restored; its result is called
   * at the end.
   */
  async run(onReady: () => () => void): Promise<void> {
    const { service, bus, log } = this.#deps;
    await this.reload();
    const kinds = logKindsOf(service);
    this.#publishing = kinds.map((kind) => startStreamPublishing(this.#deps, this, kind, this.#signal));
    await Promise.all(this.#publishing.map((one) => one.compared));
    await this.#checkTimeline();
    const close = onReady();
    const headsTimer = setInterval(() => this.#publishHeads(), PUBLISH_HEADS_MS);
    const unlisten = bus.onUp(() => {
      this.#published.times = 0;
      this.nudge();
    });
    log.info({ heads: this.#tail.heads }, 'numbering events');
    try {
      await this.#numberUntilStopped();
    } finally {
      clearInterval(headsTimer);
      unlisten();
      close();
      for (const ask of this.#waiters.splice(0)) ask();
      await Promise.all(this.#publishing.map((one) => one.ended));
    }
  }

  async #numberUntilStopped(): Promise<void> {
    let isDue = true;
    while (!this.#signal.aborted) {
      const begun = performance.now();
      const waiters = this.#waiters.splice(0);
      const learnedAt = this.#learnedAt ?? begun;
      this.#learnedAt = undefined;
      try {
        const highWaterMark = await this.#findHighWaterMark();
        if (isDue || highWaterMark !== undefined || (await isBehind(this.#deps.pool, this.#tail)))
          while (await this.#numberBatch(learnedAt)) if (this.#signal.aborted) return;
        if (highWaterMark !== undefined) {
          this.#tail = withHighWaterMark(this.#tail, highWaterMark);
          await storeHighWaterMark(this.#deps.pool, this.#tail);
        }
        for (const ask of waiters) ask();
        this.#failureLog.logRecovery();
        isDue = false;
      } catch (error) {
        isDue = true;
        this.#learnedAt = learnedAt;
        this.#waiters.push(...waiters);
        if (this.#signal.aborted) return;
        this.#failureLog.report(error);
        await new WakeSignal().pause(BACKOFF_MS, this.#signal);
      }
      const gap = begun + this.#batchingDelay.delay_ms - performance.now();
      if (gap > 0) await new WakeSignal().pause(gap, this.#signal);
      const poll_ms = this.#tail.numberedAbove.length > 0 ? GAP_MS : POLL_MS;
      if (this.#waiters.length > 0 || (await this.#waker.pause(poll_ms, this.#signal))) isDue = true;
    }
  }

  /** Numbers one batch. Returns whether more entries may be left. `learnedAt`: when the first commit was noticed. */
  async #numberBatch(learnedAt: number): Promise<boolean> {
    const { service, pool } = this.#deps;
    const tail = this.#tail;
    const { before, rows } = await numberEntries(pool, tail);
    // Another instance numbered entries at the end of its term: they are published from here.
    const isOutdated = !isEndOf(tail, before);
    if (isOutdated) await this.reload();
    else if (this.#tail === tail) this.#tail = withNumbered(tail, rows);
    this.#batchingDelay.recordRound(new Set(rows.map(({ tx_id }) => tx_id)).size);
    this.recentTransactions.add(rows);
    for (const one of this.#publishing) one.enqueue(rows.filter(({ log }) => log === one.kind));
    this.#hints.publish(rows);
    for (const { type } of rows) record.eventOfType(type);
    if (rows.length > 0) record.numbered(service, rows.length, performance.now() - learnedAt);
    return isOutdated || rows.length === NUMBERING_BATCH;
  }

  /** The `seq` below which no entry can appear any more, if a gap is old and writers allow the check now. */
  async #findHighWaterMark(): Promise<number | undefined> {
    const { highWaterMark, numberedAbove } = this.#tail;
    if (numberedAbove.length === 0 || this.#gap.after !== highWaterMark)
      this.#gap = { after: highWaterMark, since: performance.now() };
    if (performance.now() - this.#gap.since < GAP_MS) return undefined;
    this.#gap.since = performance.now();
    return lastEntryUnderLock(this.#deps.pool);
  }

  #publishHeads(): void {
    const { bus, service } = this.#deps;
    const heads = Object.fromEntries(this.#tail.heads.map(({ log, epoch, no, id }) => [log, { epoch, no, id }]));
    const text = JSON.stringify(heads);
    if (text !== this.#published.heads) this.#published = { heads: text, times: 0 };
    const { times } = this.#published;
    this.#published.times += 1;
    if (times < PUBLISHED_AFTER_CHANGE || times % PUBLISHED_EVERY === 0)
      bus.publishSoon(logSubjects(service).head, Buffer.from(text));
    for (const one of this.#publishing) one.storeState();
  }
}
