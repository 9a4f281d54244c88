import type { LogKind } from '@teaching/contracts';
import { wait } from '../base/wait.ts';
import { statement } from '../db/statement.ts';
import { record } from '../telemetry/metrics.ts';
import { withSpans } from '../telemetry/trace.ts';
import type { EntryRow } from './log-entry.ts';
import { type LogHead, streamStart, laterEpoch, offsetAt, readEntries } from './log-statements.ts';
import { logName, type Offset } from './offset.ts';
import { createStreamPublisher } from './stream-publisher.ts';
import { streamName } from './stream.ts';
import type { SourceDeps } from './source-deps.ts';
import { FailureLog } from '../telemetry/failure-log.ts';
import { storeAsWorker } from './worker-transaction.ts';
import { WakeSignal } from './wake-signal.ts';

const BATCH = 500;
/** What waits in memory beyond this is read from the log when its turn comes. */
const KEPT = 5_000;
/** What is numbered wakes it, and so does the bus when it is back. */
const LOOK_MS = 5_000;
const BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 5_000;
/**
 * How long a batch waits for the next to be full. A lone event goes at once; of audit records, which nobody waits
 * for, many go together, since a follower's transaction costs the same for one and for fifty.
 */
const GAP_MS = { domain: 0, audit: 25 } satisfies Record<LogKind, number>;
/** A stream that cannot be looked at must not keep followers from a log that is sound. */
const PATIENCE_MS = 5_000;

/** What publishing needs of the term it belongs to. */
export interface PublishedLogs {
  head(kind: LogKind): LogHead;
  wentBack(kind: LogKind, seen: Offset, who: string): Promise<void>;
}

export interface StreamPublishing {
  kind: LogKind;
  /** Resolves when the stream's end was compared with the log's, or could not be for a while. */
  compared: Promise<void>;
  ended: Promise<void>;
  /** Newly numbered entries. */
  hand(entries: readonly EntryRow[]): void;
  /** Writes down how far it is, for whoever looks. */
  note(): void;
}

const NOTE = statement(`
  update log_head set published_no = $2, trouble = $3,
  trouble_since = case when $3::text is null then null when trouble is null then now() else trouble_since end
  where log = $1 and (published_no is distinct from $2 or trouble is distinct from $3)`);

/** Keeps one stream equal to the end of its log, for those outside who follow the stream. */
export const startStreamPublishing = (
  { service, bus, pool, log, limits }: SourceDeps,
  logs: PublishedLogs,
  kind: LogKind,
  signal: AbortSignal,
): StreamPublishing => {
  const publisher = createStreamPublisher(bus, service, kind, limits);
  const waker = new WakeSignal();
  const teller = new FailureLog(log, `${streamName(service, kind)} cannot be published to`);
  let waiting: EntryRow[] = [];
  /** The last that the stream has; undefined until it was compared. */
  let published: Offset | undefined;
  const compared = Promise.withResolvers<void>();

  /** Where to go on. A tail that the log does not have means that the database was put back. */
  const resumeAt = async (place: Offset | undefined): Promise<Offset> => {
    const { base } = logs.head(kind);
    if (place === undefined) return offsetAt(pool, kind, Math.max(base, await streamStart(pool, kind)));
    if (place.no <= base || (await offsetAt(pool, kind, place.no)).id === place.id) return place;
    await logs.wentBack(kind, place, `the stream ${streamName(service, kind)}`);
    const later = await laterEpoch(pool, kind, place.epoch);
    if (later === undefined) throw new Error('a log that went back goes on in a later epoch');
    return offsetAt(pool, kind, later - 1);
  };

  const nextRows = async (after: Offset): Promise<EntryRow[]> => {
    waiting = waiting.filter((row) => row.no > after.no);
    if (waiting[0]?.no === after.no + 1) return waiting.splice(0, BATCH);
    if (logs.head(kind).no <= after.no) return [];
    return readEntries(pool, { log: kind, after: after.no, limit: BATCH });
  };

  /** Publishes what comes next; answers how many. */
  const step = async (): Promise<number> => {
    if (published === undefined) {
      published = await resumeAt(await publisher.findTail());
      compared.resolve();
    }
    const next = await nextRows(published);
    const last = next.at(-1);
    if (last === undefined) return 0;
    const previous = published.id;
    const traces = () => next.map((row) => ({ name: `publish ${row.type}`, parent: row.trace ?? undefined }));
    const failure = await withSpans(traces, 'producer', () => publisher.publish(next, previous));
    if (failure !== undefined) throw new Error(failure);
    published = { epoch: last.epoch, no: last.no, id: last.id };
    record.published(service, logName(service, kind), next.length);
    return next.length;
  };

  const run = async (): Promise<void> => {
    let backoff = BACKOFF_MS;
    const unlisten = bus.onUp(() => {
      published = undefined;
      waker.wake();
    });
    while (!signal.aborted) {
      try {
        for (let sent = await step(); sent > 0 && !signal.aborted; sent = await step()) {
          if (sent < BATCH) await wait(GAP_MS[kind], signal);
        }
        teller.over();
        backoff = BACKOFF_MS;
        await waker.pause(LOOK_MS, signal);
      } catch (error) {
        published = undefined;
        if (signal.aborted) break;
        teller.tell(error);
        await new WakeSignal().pause(backoff, signal);
        backoff = Math.min(backoff * 2, LONGEST_BACKOFF_MS);
      }
    }
    unlisten();
    publisher.stop();
  };

  let noted = '';
  return {
    kind,
    compared: Promise.race([compared.promise, wait(PATIENCE_MS, signal)]),
    ended: run(),
    hand: (entries) => {
      if (waiting.length + entries.length > KEPT) waiting = [];
      else waiting.push(...entries);
      waker.wake();
    },
    note: () => {
      const now = `${published?.no} ${teller.reason}`;
      if (now === noted) return;
      noted = now;
      storeAsWorker(pool, NOTE, kind, published?.no ?? null, teller.reason ?? null).catch(() => {
        noted = '';
      });
    },
  };
};
