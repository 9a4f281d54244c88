import { allEvents, type LogKind } from '@teaching/contracts';
import { record } from '../telemetry/metrics.ts';
import type { EntryRow } from './entry.ts';
import type { Epochs } from './epochs.ts';
import { type Head, readEpochs, readHeads } from './log-rows.ts';
import { logSubjects } from './messages.ts';
import { NUMBERED_AT_ONCE, numberNext } from './number.ts';
import { openEpoch } from './open-epoch.ts';
import { type Place } from './place.ts';
import { Pace } from './pace.ts';
import { startPublishing, type Publishing } from './publishing.ts';
import { Recent } from './recent.ts';
import type { SourceDeps } from './source-deps.ts';
import { TroubleTeller } from './trouble.ts';
import { Waker } from './waker.ts';

const POLL_MS = 500;
const TELL_MS = 1_000;
const BACKOFF_MS = 500;

/** The logs a service keeps: those its contracts name events of. */
export const logsOf = (service: string): LogKind[] => [
  ...new Set(allEvents.filter((event) => event.service === service).map(({ log }) => log)),
];

const isAt = (head: Head | undefined, epoch: number, no: number): boolean => head?.epoch === epoch && head.no === no;

/**
 * One term of a source: numbers what is committed, tells it, and knows where its logs end. Only one instance
 * does it at a time, and two would do no harm: numbers are given under the lock of the heads.
 */
export class SourceTerm {
  readonly #deps: SourceDeps;
  readonly #signal: AbortSignal;
  readonly #waker = new Waker();
  readonly #teller: TroubleTeller;
  #heads = new Map<LogKind, Head>();
  #epochs: Epochs = [];
  #publishing: Publishing[] = [];
  /** Those who wait for a numbering that begins after they asked. */
  #asking: (() => void)[] = [];
  readonly #pace = new Pace();
  readonly recent = new Recent();

  constructor(deps: SourceDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
    this.#teller = new TroubleTeller(deps.log, 'events wait for their numbers');
  }

  get epochs(): Epochs {
    return this.#epochs;
  }

  head(kind: LogKind): Head {
    const head = this.#heads.get(kind);
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
    const { pool } = this.#deps;
    const [heads, epochs] = await Promise.all([readHeads(pool), readEpochs(pool)]);
    this.#heads = new Map(heads.map((head) => [head.log, head]));
    this.#epochs = epochs;
  }

  /**
   * Somebody has more than the database, or something else under the same number: it was put back. Unless
   * another instance was quicker, the logs go on in a new epoch.
   */
  async wentBack(kind: LogKind, seen: Place, who: string): Promise<void> {
    await this.reload();
    if (this.head(kind).epoch > seen.epoch) return;
    const { service, pool, log } = this.#deps;
    await openEpoch(pool, service, seen, `${who} had seen ${seen.epoch}/${seen.no}`);
    await this.reload();
    log.error(
      { log: kind, seen, head: this.head(kind), who },
      'the log went back: the database was put back to an earlier point; a new epoch begins',
    );
    record.wentBack(service);
    this.nudge();
  }

  /** Runs until the term is over. `onReady` is called once it is known whether the logs went back. */
  async run(onReady: () => () => void): Promise<void> {
    const { service, bus, log } = this.#deps;
    await this.reload();
    const kinds = logsOf(service);
    this.#publishing = kinds.map((kind) => startPublishing(this.#deps, this, kind, this.#signal));
    await Promise.all(this.#publishing.map((one) => one.compared));
    const close = onReady();
    const telling = setInterval(() => this.#tell(), TELL_MS);
    const unlisten = bus.onUp(() => this.nudge());
    log.info({ heads: [...this.#heads.values()] }, 'numbering events');
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
    while (!this.#signal.aborted) {
      const begun = performance.now();
      const asking = this.#asking.splice(0);
      try {
        while ((await this.#numberSome()) === NUMBERED_AT_ONCE) if (this.#signal.aborted) return;
        for (const ask of asking) ask();
        this.#teller.over();
      } catch (error) {
        this.#asking.push(...asking);
        if (this.#signal.aborted) return;
        this.#teller.tell(error);
        await new Waker().pause(BACKOFF_MS, this.#signal);
      }
      const gap = begun + this.#pace.gap_ms - performance.now();
      if (gap > 0) await new Waker().pause(gap, this.#signal);
      if (this.#asking.length === 0) await this.#waker.pause(POLL_MS, this.#signal);
    }
  }

  async #numberSome(): Promise<number> {
    const { service, pool } = this.#deps;
    const { before, rows } = await numberNext(pool, this.#epochs);
    const [first] = rows;
    // Another instance numbered in between, at the end of its term: what it told nobody is told from here.
    if (before.some(({ log, epoch, no }) => !isAt(this.#heads.get(log), epoch, no))) await this.#catchUp();
    this.#pace.count(new Set(rows.map(({ tx_id }) => tx_id)).size);
    if (first === undefined) return 0;
    this.recent.add(rows);
    for (const [kind, ofLog] of Map.groupBy(rows, (row) => row.log)) this.#hand(kind, ofLog);
    record.numbered(service, rows.length, Date.now() - Date.parse(first.happened_at));
    return rows.length;
  }

  async #catchUp(): Promise<void> {
    await this.reload();
    for (const one of this.#publishing) one.hand([]);
  }

  #hand(kind: LogKind, rows: readonly EntryRow[]): void {
    const last = rows.at(-1);
    const head = this.#heads.get(kind);
    if (last === undefined || head === undefined) return;
    this.#heads.set(kind, { ...head, epoch: last.epoch, no: last.no, id: last.id });
    for (const one of this.#publishing) if (one.kind === kind) one.hand(rows);
  }

  #tell(): void {
    const { bus, service } = this.#deps;
    const heads = Object.fromEntries(
      [...this.#heads.values()].map(({ log, epoch, no, id }) => [log, { epoch, no, id }]),
    );
    bus.publishSoon(logSubjects(service).head, Buffer.from(JSON.stringify(heads)));
    for (const one of this.#publishing) one.note();
  }
}
