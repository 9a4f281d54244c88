import { write, writeSync } from 'node:fs';

// A program needs its output from its first line: nothing that takes time to load is imported here.

/** Limit of the lines that wait for a slow reader, in characters: several thousand lines. */
const MAX_WAITING = 2 ** 20;
/** Time until a full pipe is tried again, in milliseconds; doubled while it stays full. A pipe holds 64 KiB. */
const RETRY_MS = 1;
const MAX_RETRY_MS = 128;
/** Time in which the reader of a full pipe can still take the last lines when the process ends, in milliseconds. */
const LAST_LINES_MS = 500;

const NEWLINE = 0x0a;
const NONE = Buffer.alloc(0);

const isPipeFull = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EAGAIN';
const waitSync = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const countLines = (bytes: Buffer): number => bytes.reduce((count, byte) => count + Number(byte === NEWLINE), 0);

/** Writes lines to a descriptor in order. */
export interface LineWriter {
  /** Takes one line with its newline. Neither waits nor throws: a line that cannot be written is dropped and counted. */
  write: (line: string) => void;
  /** The number of lines that were dropped so far. */
  dropped: () => number;
  /** Called when all lines are written again, with the number of lines that were dropped before. */
  onRecovery: ((dropped: number) => void) | undefined;
  /** Writes the waiting lines as far as possible before the process ends. */
  flush: () => void;
}

/**
 * `fd` is a file, or a pipe or socket that is non-blocking: otherwise the end of the process waits for its reader. One write is in progress at a time, in a thread of libuv,
 * since the disk of a file may be slow. When it fails, its lines are dropped, and the next line tries again.
 */
export const createLineWriter = (fd: number): LineWriter => {
  let waiting: string[] = [];
  let waitingLength = 0;
  /** The lines that are being written. After an error, the end of a line whose beginning was written. */
  let writing: Buffer = NONE;
  let isMidLine = false;
  let isInProgress = false;
  let retry: NodeJS.Timeout | undefined;
  let retry_ms = RETRY_MS;
  let dropped = 0;
  let reported = 0;

  const takeWaiting = (): Buffer => {
    const lines = Buffer.from(waiting.join(''));
    waiting = [];
    waitingLength = 0;
    return lines;
  };
  const drop = (lines: Buffer): void => {
    // A reader of the file finds whole lines only: a line is completed when there is room again.
    const end = isMidLine ? lines.indexOf(NEWLINE) + 1 : 0;
    dropped += countLines(lines.subarray(end));
    writing = lines.subarray(0, end);
  };
  const send = (): void => {
    retry = undefined;
    isInProgress = true;
    write(fd, writing, onWritten);
  };
  const sendWaiting = (): void => {
    writing = Buffer.concat([writing, takeWaiting()]);
    send();
  };
  const onWritten = (error: NodeJS.ErrnoException | null, length: number): void => {
    isInProgress = false;
    if (error === null) {
      retry_ms = RETRY_MS;
      isMidLine = writing[length - 1] !== NEWLINE;
      writing = writing.subarray(length);
    } else if (isPipeFull(error)) {
      retry = setTimeout(send, retry_ms).unref();
      retry_ms = Math.min(2 * retry_ms, MAX_RETRY_MS);
      return;
    } else drop(writing);
    if (error === null && writing.length > 0) send();
    else if (waiting.length > 0) sendWaiting();
    else if (error === null) reportRecovery();
  };
  const reportRecovery = (): void => {
    if (dropped === reported) return;
    const count = dropped - reported;
    reported = dropped;
    writer.onRecovery?.(count);
  };
  const writer: LineWriter = {
    write: (line) => {
      if (waitingLength + line.length > MAX_WAITING) {
        dropped += 1;
        return;
      }
      waiting.push(line);
      waitingLength += line.length;
      if (!isInProgress && retry === undefined) sendWaiting();
    },
    dropped: () => dropped,
    onRecovery: undefined,
    flush: () => {
      // A write in progress is completed by its thread.
      let left = Buffer.concat([isInProgress ? NONE : writing, takeWaiting()]);
      const end = performance.now() + LAST_LINES_MS;
      while (left.length > 0) {
        try {
          left = left.subarray(writeSync(fd, left));
        } catch (error) {
          if (!isPipeFull(error) || performance.now() > end) return;
          waitSync(RETRY_MS);
        }
      }
    },
  };
  return writer;
};

/** Standard output, where log lines go. */
export const logOutput = createLineWriter(1);
process.once('exit', logOutput.flush);
