import { unlessAborted } from '../base/wait.ts';
import type { LogEntry, StoreBatch } from './applier.ts';
import { READ_BATCH, type EntryReader, type EntryPage } from './entry-reader.ts';
import type { Mailbox } from './mailbox.ts';
import type { ApplyPipeline } from './apply-pipeline.ts';
import { orderOf, type Offset } from './offset.ts';

/** Longest pause in milliseconds; messages wake the reader. */
const IDLE_MS = 2_000;
/** After a head was published, the messages before it may still arrive for this long, in milliseconds. */
const GRACE_MS = 100;

/** The parts of a follower that the reader uses. */
export interface LogReaderParts {
  mailbox: Mailbox;
  reader: EntryReader;
  pipeline: ApplyPipeline;
  /** Reads events in advance, before they are stored. */
  prepare: (entries: readonly LogEntry[]) => StoreBatch | undefined;
  /** Called when the source knows the offset under another id or number. */
  setPosition: (place: Offset) => Promise<void>;
  /** Called when all entries so far are applied, and again at intervals while none arrive. */
  onEnd: () => Promise<void>;
  /** Called when a message does not continue the entries read so far; the source is then queried. */
  onGap: () => void;
}

/** The state of the reader. */
interface ReaderState {
  seen: Offset;
  /** True while pages are read from the source; otherwise messages are taken as they arrive. */
  isAsking: boolean;
  /** The next page, requested while the one before is applied. */
  next: Promise<EntryPage> | undefined;
  /** True after the reader has waited once for the messages before the published head. */
  isLate: boolean;
}

const push = async (
  { pipeline, prepare }: LogReaderParts,
  state: ReaderState,
  entries: readonly LogEntry[],
): Promise<void> => {
  await pipeline.push(state.seen, entries, prepare(entries));
  state.seen = entries.at(-1)?.offset ?? state.seen;
};

/**
 * Reads the next page from the source until no more is left. A stop does not wait for the source, which may have
 * stopped first.
 */
const takePage = async (parts: LogReaderParts, state: ReaderState, stop: AbortSignal): Promise<void> => {
  const { reader, pipeline } = parts;
  const page = await unlessAborted(state.next ?? reader.queryPage(state.seen), stop);
  state.next = undefined;
  const { seen } = state;
  // The first page contains the id that the source has at the requested offset.
  if (seen.id === null && page.after.no >= seen.no && orderOf(page.after) !== orderOf(seen)) {
    await pipeline.idle();
    await parts.setPosition(page.after);
    state.seen = page.after;
  }
  const last = page.entries.at(-1)?.offset;
  state.isAsking = last !== undefined && orderOf(last) < orderOf(page.head);
  if (last === undefined) {
    await pipeline.idle();
    pipeline.check();
    await parts.onEnd();
    return;
  }
  if (state.isAsking) {
    state.next = reader.queryPage(last);
    state.next.catch(() => {});
  }
  await push(parts, state, page.entries);
};

/** Waits for messages up to the published head. If they do not arrive, the source is queried. */
const waitForMore = async (
  { mailbox, pipeline, onEnd }: LogReaderParts,
  state: ReaderState,
  stop: AbortSignal,
): Promise<void> => {
  const { publishedHead } = mailbox;
  const { seen } = state;
  const differs =
    publishedHead !== undefined && (orderOf(publishedHead) !== orderOf(seen) || publishedHead.id !== seen.id);
  if (!differs) {
    await mailbox.pause(IDLE_MS, stop);
    if (pipeline.isBusy) return;
    pipeline.check();
    await onEnd();
    return;
  }
  // Messages before the published head may still arrive; wait for them once.
  const canArrive = orderOf(publishedHead) > orderOf(seen) && !state.isLate;
  state.isLate = canArrive;
  if (canArrive) await mailbox.pause(GRACE_MS, stop);
  else state.isAsking = true;
};

const takeMessages = async (parts: LogReaderParts, state: ReaderState, stop: AbortSignal): Promise<void> => {
  const taken = parts.mailbox.take(state.seen, READ_BATCH);
  if (taken === 'ask the source') {
    state.isAsking = true;
    parts.onGap();
  } else if (taken.next.length === 0) await waitForMore(parts, state, stop);
  else {
    await push(parts, state, parts.reader.toEntries(taken.next));
    state.isLate = false;
  }
};

/** Reads a log from an offset and applies it until a failure: first from its source, then from messages. */
export const readLog = async (parts: LogReaderParts, from: Offset, stop: AbortSignal): Promise<void> => {
  const state: ReaderState = { seen: from, isAsking: true, next: undefined, isLate: false };
  while (!stop.aborted) {
    parts.pipeline.check();
    await (state.isAsking ? takePage(parts, state, stop) : takeMessages(parts, state, stop));
  }
};
