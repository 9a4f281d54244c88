import { Change, changesCalls } from '@teaching/contracts';
import { ApiError, NoAnswerError } from './api-error.ts';
import { EventParser, type ServerEvent } from './event-parser.ts';
import { isTransient, retryPause, RETRY_DEFAULTS, wait } from './retry.ts';
import { type ClientOptions, headersOf, urlOf } from './request.ts';

/** Milliseconds without data after which a stream is closed. The gateway sends an `alive` event every 15 s. */
const SILENCE_MS = 45_000;
/** Pause before reconnecting, until the stream sets another. */
const RETRY_MS = 1_000;

/**
 * `open`: the stream is open, and all changes from now on follow. `reset`: changes may have been missed, so read
 * everything again. `change`: records changed.
 */
export type ChangeNotice = { type: 'open' } | { type: 'reset' } | { type: 'change'; change: Change };

export interface StreamOptions {
  /** Ends the stream without an error. */
  signal?: AbortSignal;
}

/** The offset of a stream, over all its connections. */
interface Offset {
  id: string | undefined;
  retry_ms: number;
}

/** The notice of an event; `undefined` for an event or kind that this client does not know. */
const noticeOf = ({ event, data }: ServerEvent): ChangeNotice | undefined => {
  if (event === 'reset') return { type: 'reset' };
  if (event !== 'change') return undefined;
  const change = Change.safeParse(JSON.parse(data));
  return change.success ? { type: 'change', change: change.data } : undefined;
};

/**
 * Reads one connection to its end. Throws `ApiError` for an error response, `NoAnswerError` if it breaks or times out.
 */
async function* connection(options: ClientOptions, offset: Offset, signal: AbortSignal | undefined) {
  const silence = new AbortController();
  const startTimer = (): NodeJS.Timeout => setTimeout(() => silence.abort(), SILENCE_MS);
  let timer = startTimer();
  try {
    const headers = await headersOf(options, {}, false);
    headers.set('accept', 'text/event-stream');
    if (offset.id !== undefined) headers.set('last-event-id', offset.id);
    const signals = [silence.signal, ...(signal === undefined ? [] : [signal])];
    const { fetch: send = (url, init) => fetch(url, init) } = options;
    const response = await send(urlOf(options.base_url, changesCalls.streamChanges, {}), {
      headers,
      cache: 'no-store',
      signal: AbortSignal.any(signals),
    });
    if (!response.ok || response.body === null) throw new ApiError(response, await response.text());
    if (offset.id === undefined) yield { type: 'open' } as const;
    const parser = new EventParser();
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(timer);
      timer = startTimer();
      const events = parser.read(decoder.decode(part.value, { stream: true }));
      offset.id = parser.id ?? offset.id;
      offset.retry_ms = parser.retry_ms ?? offset.retry_ms;
      for (const event of events) {
        const notice = noticeOf(event);
        if (notice !== undefined) yield notice;
      }
    }
  } catch (error) {
    throw error instanceof ApiError ? error : new NoAnswerError(error);
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/**
 * Streams changes until the caller stops. It reconnects when a connection ends and continues after the last event. A
 * permanent error response, such as 401, is thrown.
 */
export const streamChanges = (options: ClientOptions) =>
  async function* (this: void, { signal }: StreamOptions = {}): AsyncGenerator<ChangeNotice, void, undefined> {
    const pauses = options.repeat === false ? RETRY_DEFAULTS : { ...RETRY_DEFAULTS, ...options.repeat };
    const offset: Offset = { id: undefined, retry_ms: RETRY_MS };
    const isAborted = (): boolean => signal?.aborted === true;
    for (let failures = 0; !isAborted();) {
      // Random, so that clients that lose their connections together do not reconnect at the same time.
      let pause = offset.retry_ms * (0.5 + Math.random());
      try {
        for await (const notice of connection(options, offset, signal)) {
          failures = 0;
          yield notice;
        }
      } catch (error) {
        if (isAborted()) return;
        if (!isTransient(error)) throw error;
        failures += 1;
        pause = Math.max(pause, retryPause(error, failures, pauses));
      }
      await wait(pause, signal).catch(() => {});
    }
  };
