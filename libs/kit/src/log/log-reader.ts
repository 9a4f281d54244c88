import { unlessAborted } from '../base/wait.ts';
import type { LogEntry, StoreBatch } from './applier.ts';
import { READ_BATCH, type EntryReader, type EntryPage } from './entry-reader.ts';
import type { Mailbox } from './mailbox.ts';
import type { ApplyPipeline } from './apply-pipeline.ts';
import { orderOf, type Offset } from './offset.ts';

/** Messages wake it. */
const IDLE_MS = 2_000;
/** A head that was told and not reached: the messages to it may still be on their way for this long. */
const GRACE_MS = 100;

/** What reading a log needs of the follower it belongs to. */
export interface LogReaderParts {
  mailbox: Mailbox;
  reader: EntryReader;
  work: ApplyPipeline;
  /** Reads events before their turn to be stored. */
  prepare: (entries: readonly LogEntry[]) => StoreBatch | undefined;
  /** The source knows the place under another id, or number. */
  setPosition: (place: Offset) => Promise<void>;
  /** Everything that was asked for, or that came, is applied; said again and again while nothing comes. */
  onEnd: () => Promise<void>;
  /** What arrived does not continue what was read: the source is asked for what lies between. */
  onGap: () => void;
}

/** How far one stretch of following has read. */
interface Reading {
  seen: Offset;
  /** The source is asked; else messages are taken as they arrive. */
  isAsking: boolean;
  /** The next page, asked for while the one before is applied. */
  next: Promise<EntryPage> | undefined;
  /** Messages of what was told were waited for. */
  isLate: boolean;
}

const push = async (
  { work, prepare }: LogReaderParts,
  reading: Reading,
  entries: readonly LogEntry[],
): Promise<void> => {
  await work.push(reading.seen, entries, prepare(entries));
  reading.seen = entries.at(-1)?.place ?? reading.seen;
};

/** Takes the next page from the source, until there is no more. Who stops does not wait for a source that may have stopped first. */
const takePage = async (parts: LogReaderParts, reading: Reading, stop: AbortSignal): Promise<void> => {
  const { reader, work } = parts;
  const page = await unlessAborted(reading.next ?? reader.ask(reading.seen), stop);
  reading.next = undefined;
  const { seen } = reading;
  // The first page also says under which id the source knows the place that was asked from.
  if (seen.id === null && page.after.no >= seen.no && orderOf(page.after) !== orderOf(seen)) {
    await work.idle();
    await parts.setPosition(page.after);
    reading.seen = page.after;
  }
  const last = page.entries.at(-1)?.place;
  reading.isAsking = last !== undefined && orderOf(last) < orderOf(page.head);
  if (last === undefined) {
    await work.idle();
    work.check();
    await parts.onEnd();
    return;
  }
  if (reading.isAsking) {
    reading.next = reader.ask(last);
    reading.next.catch(() => {});
  }
  await push(parts, reading, page.entries);
};

/** Waits for messages, or for what was told to arrive; what remains different is asked for. */
const waitForMore = async (
  { mailbox, work, onEnd }: LogReaderParts,
  reading: Reading,
  stop: AbortSignal,
): Promise<void> => {
  const { told } = mailbox;
  const { seen } = reading;
  const differs = told !== undefined && (orderOf(told) !== orderOf(seen) || told.id !== seen.id);
  if (!differs) {
    await mailbox.pause(IDLE_MS, stop);
    if (work.isBusy) return;
    work.check();
    await onEnd();
    return;
  }
  // Messages of what was told may still be on their way, once.
  const mayCome = orderOf(told) > orderOf(seen) && !reading.isLate;
  reading.isLate = mayCome;
  if (mayCome) await mailbox.pause(GRACE_MS, stop);
  else reading.isAsking = true;
};

const takeMessages = async (parts: LogReaderParts, reading: Reading, stop: AbortSignal): Promise<void> => {
  const taken = parts.mailbox.take(reading.seen, READ_BATCH);
  if (taken === 'ask the source') {
    reading.isAsking = true;
    parts.onGap();
  } else if (taken.next.length === 0) await waitForMore(parts, reading, stop);
  else {
    await push(parts, reading, parts.reader.toEntries(taken.next));
    reading.isLate = false;
  }
};

/** Reads a log from a place on, and has it applied, until something goes wrong: from its source, then as it arrives. */
export const readLog = async (parts: LogReaderParts, from: Offset, stop: AbortSignal): Promise<void> => {
  const reading: Reading = { seen: from, isAsking: true, next: undefined, isLate: false };
  while (!stop.aborted) {
    parts.work.check();
    await (reading.isAsking ? takePage(parts, reading, stop) : takeMessages(parts, reading, stop));
  }
};
