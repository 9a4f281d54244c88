import type { LogKind } from '@teaching/contracts';
import { wait } from '../base/wait.ts';
import { statement } from '../db/statement.ts';
import { record } from '../telemetry/metrics.ts';
import { withSpans } from '../telemetry/trace.ts';
import type { EntryRow } from './log-entry.ts';
import { type LogHead, streamStart, laterEpoch, offsetAt, readEntries } from './log-statements.ts';
import { logName, type Offset } from './offset.ts';
import { createStreamPublisher, type PublishedRows } from './stream-publisher.ts';
import { streamName } from './stream.ts';
import type { SourceDeps } from './source-deps.ts';
import { FailureLog } from '../telemetry/failure-log.ts';
import { storeAsWorker } from './worker-transaction.ts';
import { WakeSignal } from './wake-signal.ts';

const BATCH = 500;
/** Entries in memory beyond this number are dropped and read from the log later. */
const MAX_WAITING = 5_000;
/** Longest pause in milliseconds. New entries and a reconnect to the broker wake the loop. */
const POLL_MS = 2_000;
/** Without entries to publish, the stream is looked at again after this time in milliseconds, and before each batch. */
const LOOK_MS = 1_500;
const BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 5_000;
/**
 * How long a batch waits to fill, in milliseconds. Domain events are sent at once. Audit records, for which no caller
 * waits, are sent together: a follower's transaction costs the same for one and for fifty.
 */
const GAP_MS = { domain: 0, audit: 25 } satisfies Record<LogKind, number>;
/** How long the start waits for the comparison: an unreachable stream must not keep followers from a valid log. */
const COMPARE_TIMEOUT_MS = 5_000;

/** The part of a term that publishing uses. */
export interface PublishedLogs {
  head(kind: LogKind): LogHead;
  openEpochAfterRestore(kind: LogKind, seen: Offset, who: string): Promise<void>;
}

export interface StreamPublishing {
  kind: LogKind;
  /** Resolves when the end of the stream was compared with the log, or after some seconds without a result. */
  compared: Promise<void>;
  ended: Promise<void>;
  /** Adds newly numbered entries. */
  enqueue(entries: readonly EntryRow[]): void;
  /** Stores the progress and the current problem, for monitoring. */
  storeState(): void;
}

const NOTE = statement(`
  update log_head set published_no = $2, trouble = $3,
  trouble_since = case when $3::text is null then null when trouble is null then now() else trouble_since end
  where log = $1 and (published_no is distinct from $2 or trouble is distinct from $3)`);

/** Publishes the end of one log to its stream, for outside readers of the stream. */
export const startStreamPublishing = (
  { service, bus, pool, log, limits }: SourceDeps,
  logs: PublishedLogs,
  kind: LogKind,
  signal: AbortSignal,
): StreamPublishing => {
  const publisher = createStreamPublisher(bus, service, kind, limits);
  const waker = new WakeSignal();
  const failureLog = new FailureLog(log, `cannot publish to ${streamName(service, kind)}`);
  let waiting: EntryRow[] = [];
  /** The offset of the last event in the stream; undefined until compared. */
  let published: Offset | undefined;
  let lookedAt = 0;
  const compared = Promise.withResolvers<void>();

  /**
   * The offset from which to continue. If the stream ends with an event that the log does not have, the database was
   * restored.
   */
  const resumeAt = async (place: Offset | undefined): Promise<Offset> => {
    const { base } = logs.head(kind);
    if (place === undefined) return offsetAt(pool, kind, Math.max(base, await streamStart(pool, kind)));
    if (place.no <= base || (await offsetAt(pool, kind, place.no)).id === place.id) return place;
    await logs.openEpochAfterRestore(kind, place, `the stream ${streamName(service, kind)}`);
    const later = await laterEpoch(pool, kind, place.epoch);
    if (later === undefined) throw new Error('a restored log must have a later epoch');
    return offsetAt(pool, kind, later - 1);
  };

  /** The next entries: newly numbered ones from memory, others from the log. */
  const nextRows = async (after: Offset): Promise<PublishedRows> => {
    waiting = waiting.filter((row) => row.no > after.no);
    const isRepeated = waiting[0]?.no !== after.no + 1;
    if (!isRepeated) return { rows: waiting.splice(0, BATCH), previous: after.id, isRepeated };
    const isAtEnd = logs.head(kind).no <= after.no;
    const rows = isAtEnd ? [] : await readEntries(pool, { log: kind, after: after.no, limit: BATCH });
    return { rows, previous: after.id, isRepeated };
  };

  /** Publishes the next batch. Returns the number of events. */
  const publishBatch = async (): Promise<number> => {
    published ??= await resumeAt(await publisher.findTail());
    compared.resolve();
    const next = await nextRows(published);
    const { rows } = next;
    const last = rows.at(-1);
    if (last === undefined && performance.now() - lookedAt < LOOK_MS) return 0;
    lookedAt = performance.now();
    if (!(await publisher.isIntact())) {
      log.info(
        { stream: streamName(service, kind) },
        'the stream was changed: events missing at its end are published',
      );
      published = undefined;
      return publishBatch();
    }
    if (last === undefined) return 0;
    const traces = () => rows.map((row) => ({ name: `publish ${row.type}`, parent: row.trace ?? undefined }));
    const failure = await withSpans(traces, 'producer', () => publisher.publish(next));
    if (failure !== undefined) throw new Error(failure);
    published = { epoch: last.epoch, no: last.no, id: last.id };
    record.published(service, logName(service, kind), rows.length);
    return rows.length;
  };

  const run = async (): Promise<void> => {
    let backoff = BACKOFF_MS;
    const unlisten = bus.onUp(() => {
      published = undefined;
      waker.wake();
    });
    while (!signal.aborted) {
      try {
        for (let sent = await publishBatch(); sent > 0 && !signal.aborted; sent = await publishBatch()) {
          if (sent < BATCH) await wait(GAP_MS[kind], signal);
        }
        failureLog.logRecovery();
        backoff = BACKOFF_MS;
        await waker.pause(POLL_MS, signal);
      } catch (error) {
        published = undefined;
        if (signal.aborted) break;
        failureLog.report(error);
        await new WakeSignal().pause(backoff, signal);
        backoff = Math.min(backoff * 2, LONGEST_BACKOFF_MS);
      }
    }
    unlisten();
    publisher.stop();
  };

  let storedState = '';
  return {
    kind,
    compared: Promise.race([compared.promise, wait(COMPARE_TIMEOUT_MS, signal)]),
    ended: run(),
    enqueue: (entries) => {
      if (waiting.length + entries.length > MAX_WAITING) waiting = [];
      else waiting.push(...entries);
      waker.wake();
    },
    storeState: () => {
      const now = `${published?.no} ${failureLog.reason}`;
      if (now === storedState) return;
      storedState = now;
      storeAsWorker(pool, NOTE, kind, published?.no ?? null, failureLog.reason ?? null).catch(() => {
        storedState = '';
      });
    },
  };
};
