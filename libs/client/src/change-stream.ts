import { Change, changesCalls } from '@teaching/contracts';
import { ApiError, NoAnswerError } from './api-error.ts';
import { EventParser, type ServerEvent } from './event-parser.ts';
import { isTransient, pauseAfter, RETRY_DEFAULTS, wait } from './retry.ts';
import { type ClientOptions, headersOf, urlOf } from './request.ts';

/** A stream that says nothing for so long is given up: it says that it is there every 15 s. */
const SILENCE_MS = 45_000;
const RETRY_MS = 1_000;

/**
 * `open`: everything that changes from now on is told. `reset`: something may have been missed, so ask for everything again.
 * `change`: this changed.
 */
export type Notice = { type: 'open' } | { type: 'reset' } | { type: 'change'; change: Change };

export interface ListenOptions {
  /** Ends the listening, without an error. */
  signal?: AbortSignal;
}

/** What a stream was read up to, over all its connections. */
interface Place {
  id: string | undefined;
  retry_ms: number;
}

/** What an event says; nothing where it is of a kind that this client does not know. */
const noticeOf = ({ event, data }: ServerEvent): Notice | undefined => {
  if (event === 'reset') return { type: 'reset' };
  if (event !== 'change') return undefined;
  const change = Change.safeParse(JSON.parse(data));
  return change.success ? { type: 'change', change: change.data } : undefined;
};

/** Reads one connection to its end; throws a refusal as `ApiError`, and `NoAnswerError` where it breaks or falls silent. */
async function* connection(options: ClientOptions, place: Place, signal: AbortSignal | undefined) {
  const silence = new AbortController();
  const listen = (): NodeJS.Timeout => setTimeout(() => silence.abort(), SILENCE_MS);
  let timer = listen();
  try {
    const headers = await headersOf(options, {}, false);
    headers.set('accept', 'text/event-stream');
    if (place.id !== undefined) headers.set('last-event-id', place.id);
    const signals = [silence.signal, ...(signal === undefined ? [] : [signal])];
    const { fetch: send = (url, init) => fetch(url, init) } = options;
    const response = await send(urlOf(options.base_url, changesCalls.streamChanges, {}), {
      headers,
      cache: 'no-store',
      signal: AbortSignal.any(signals),
    });
    if (!response.ok || response.body === null) throw new ApiError(response, await response.text());
    if (place.id === undefined) yield { type: 'open' } as const;
    const parser = new EventParser();
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(timer);
      timer = listen();
      const events = parser.read(decoder.decode(part.value, { stream: true }));
      place.id = parser.id ?? place.id;
      place.retry_ms = parser.retry_ms ?? place.retry_ms;
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
 * What changes, for as long as it is asked for: connections that end are made again and go on where they were. A refusal that
 * does not pass, such as 401, is thrown.
 */
export const streamChanges = (options: ClientOptions) =>
  async function* (this: void, { signal }: ListenOptions = {}): AsyncGenerator<Notice, void, undefined> {
    const pauses = options.repeat === false ? RETRY_DEFAULTS : { ...RETRY_DEFAULTS, ...options.repeat };
    const place: Place = { id: undefined, retry_ms: RETRY_MS };
    const isOver = (): boolean => signal?.aborted === true;
    for (let failures = 0; !isOver();) {
      // Those who were cut off together do not all come back at once.
      let pause = place.retry_ms * (0.5 + Math.random());
      try {
        for await (const notice of connection(options, place, signal)) {
          failures = 0;
          yield notice;
        }
      } catch (error) {
        if (isOver()) return;
        if (!isTransient(error)) throw error;
        failures += 1;
        pause = Math.max(pause, pauseAfter(error, failures, pauses));
      }
      await wait(pause, signal).catch(() => {});
    }
  };
