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

/** Commits wake it; it looks by itself for those of an instance that was killed before it could say so. */
const LOOK_MS = 2_000;
const TELL_MS = 1_000;
/** Where the logs end is told so often after a change, so that a message that was lost is missed soon; */
const TOLD_AFTER_CHANGE = 5;
/** then every so many times. */
const TOLD_SELDOM = 5;
const BACKOFF_MS = 500;
/** An entry that is missing for longer than this was probably rolled back. */
const GAP_MS = 1_000;

/** The logs a service keeps: those its contracts name events of. */
export const logKindsOf = (service: string): LogKind[] => [
  ...new Set(allEvents.filter((event) => event.service === service).map(({ log }) => log)),
];

/**
 * One term of a source: numbers what is committed, tells it, and knows where its logs end. Only one instance
 * does it at a time, and two would do no harm: numbers are given under the lock of the heads.
 */
export class SourceTerm {
  readonly #deps: SourceDeps;
  readonly #signal: AbortSignal;
  readonly #hints: HintPublisher;
  readonly #waker = new WakeSignal();
  readonly #teller: FailureLog;
  #tail: LogTail = EMPTY_TAIL;
  /** Behind which entry one is missing, and since when. */
  #gap = { after: 0, since: 0 };
  #publishing: StreamPublishing[] = [];
  /** What was told last, and how often. */
  #told = { heads: '', times: 0 };
  /** Those who wait for a numbering that begins after they asked. */
  #asking: (() => void)[] = [];
  readonly #batchingDelay = new BatchingDelay();
  readonly recent = new RecentTransactions();

  constructor(deps: SourceDeps, signal: AbortSignal, hints: HintPublisher) {
    this.#deps = deps;
    this.#signal = signal;
    this.#hints = hints;
    this.#teller = new FailureLog(deps.log, 'events wait for their numbers');
  }

  head(kind: LogKind): LogHead {
    const head = headOf(this.#tail, kind);
    if (head === undefined) throw new Error(`${this.#deps.service} keeps no ${kind} log`);
    return head;
  }

  /** Events were committed. */
  nudge(): void {
    this.#waker.wake();
  }

  /** Resolves when everything that was committed before the call has its number. */
  settled(): Promise<void> {
    if (this.#signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#asking.push(resolve);
      this.#waker.wake();
    });
  }

  /** Reads anew where the logs end; the database may know more, or less, than this instance. */
  async reload(): Promise<void> {
    this.#tail = await readTail(this.#deps.pool);
  }

  /**
   * Somebody has more than the database, or something else under the same number: it was put back. Unless
   * another instance was quicker, the logs go on in a new epoch.
   */
  async wentBack(kind: LogKind, seen: Offset, who: string): Promise<void> {
    const { service, pool, log } = this.#deps;
    const { epoch, no } = seen;
    const isNew = await openEpoch(pool, service, { epoch, up_to: { [kind]: no } }, `${who} had seen ${epoch}/${no}`);
    await this.reload();
    if (!isNew) return;
    log.error(
      { log: kind, seen, head: this.head(kind), who },
      'the log went back: the database was put back to an earlier point; a new epoch begins',
    );
    record.wentBack(service);
    this.nudge();
  }

  /**
   * A server that was restored or took over may lack what somebody was told, even when nobody is there who knows it: what is
   * numbered from here on must not bear the numbers of what is lost.
   */
  async #lookAtTimeline(): Promise<void> {
    const { service, pool, log } = this.#deps;
    const timeline = await changedTimeline(pool);
    if (timeline === undefined) return;
    const epoch = Math.max(...this.#tail.heads.map((head) => head.epoch));
    const isNew = await openEpoch(pool, service, { epoch, up_to: {} }, `Postgres went over to timeline ${timeline}`);
    await this.reload();
    if (!isNew) return;
    log.warn(
      { timeline, heads: this.#tail.heads },
      'Postgres was restored or another server took over: a new epoch begins',
    );
  }

  /** Runs until the term is over. `onReady` is called once it is known whether the logs went back. */
  async run(onReady: () => () => void): Promise<void> {
    const { service, bus, log } = this.#deps;
    await this.reload();
    const kinds = logKindsOf(service);
    this.#publishing = kinds.map((kind) => startStreamPublishing(this.#deps, this, kind, this.#signal));
    await Promise.all(this.#publishing.map((one) => one.compared));
    await this.#lookAtTimeline();
    const close = onReady();
    const telling = setInterval(() => this.#tell(), TELL_MS);
    const unlisten = bus.onUp(() => {
      this.#told.times = 0;
      this.nudge();
    });
    log.info({ heads: this.#tail.heads }, 'numbering events');
    try {
      await this.#loop();
    } finally {
      clearInterval(telling);
      unlisten();
      close();
      for (const ask of this.#asking.splice(0)) ask();
      await Promise.all(this.#publishing.map((one) => one.ended));
    }
  }

  async #loop(): Promise<void> {
    let isDue = true;
    while (!this.#signal.aborted) {
      const begun = performance.now();
      const asking = this.#asking.splice(0);
      try {
        const settled = await this.#findSettled();
        if (isDue || settled !== undefined || (await isBehind(this.#deps.pool, this.#tail)))
          while (await this.#numberSome()) if (this.#signal.aborted) return;
        if (settled !== undefined) {
          this.#tail = withHighWaterMark(this.#tail, settled);
          await storeHighWaterMark(this.#deps.pool, this.#tail);
        }
        for (const ask of asking) ask();
        this.#teller.over();
        isDue = false;
      } catch (error) {
        isDue = true;
        this.#asking.push(...asking);
        if (this.#signal.aborted) return;
        this.#teller.tell(error);
        await new WakeSignal().pause(BACKOFF_MS, this.#signal);
      }
      const gap = begun + this.#batchingDelay.gap_ms - performance.now();
      if (gap > 0) await new WakeSignal().pause(gap, this.#signal);
      const look_ms = this.#tail.above.length > 0 ? GAP_MS : LOOK_MS;
      if (this.#asking.length > 0 || (await this.#waker.pause(look_ms, this.#signal))) isDue = true;
    }
  }

  /** Answers whether there may be more to number. */
  async #numberSome(): Promise<boolean> {
    const { service, pool } = this.#deps;
    const tail = this.#tail;
    const { before, rows } = await numberEntries(pool, tail);
    // Another instance numbered in between, at the end of its term: what it told nobody is told from here.
    const isSurprised = !isEndOf(tail, before);
    if (isSurprised) await this.reload();
    else if (this.#tail === tail) this.#tail = withNumbered(tail, rows);
    const [first] = rows;
    this.#batchingDelay.count(new Set(rows.map(({ tx_id }) => tx_id)).size);
    this.recent.add(rows);
    for (const one of this.#publishing) one.hand(rows.filter(({ log }) => log === one.kind));
    this.#hints.tell(rows);
    for (const { type } of rows) record.told(type);
    if (first !== undefined) record.numbered(service, rows.length, Date.now() - Date.parse(first.happened_at));
    return isSurprised || rows.length === NUMBERING_BATCH;
  }

  /** Up to where nothing can come any more, if an entry is missing for long and that can be known now. */
  async #findSettled(): Promise<number | undefined> {
    const { settled, above } = this.#tail;
    if (above.length === 0 || this.#gap.after !== settled) this.#gap = { after: settled, since: performance.now() };
    if (performance.now() - this.#gap.since < GAP_MS) return undefined;
    this.#gap.since = performance.now();
    return lastEntryUnderLock(this.#deps.pool);
  }

  #tell(): void {
    const { bus, service } = this.#deps;
    const heads = Object.fromEntries(this.#tail.heads.map(({ log, epoch, no, id }) => [log, { epoch, no, id }]));
    const text = JSON.stringify(heads);
    if (text !== this.#told.heads) this.#told = { heads: text, times: 0 };
    const { times } = this.#told;
    this.#told.times += 1;
    if (times < TOLD_AFTER_CHANGE || times % TOLD_SELDOM === 0)
      bus.publishSoon(logSubjects(service).head, Buffer.from(text));
    for (const one of this.#publishing) one.note();
  }
}
