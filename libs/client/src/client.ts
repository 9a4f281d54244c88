import type { AnyCall, Output, publicCalls, Request } from '@teaching/contracts';
import { ApiError, NoAnswerError } from './api-error.ts';
import {
  type AnyRequest,
  type CallOptions,
  type ClientOptions,
  headersOf,
  LatestWrite,
  urlOf,
  type WireCall,
  type WireCalls,
  withKey,
} from './request.ts';
import { RETRY_DEFAULTS, withRetries } from './retry.ts';

export interface Answer<T> {
  data: T;
  status: number;
  request_id: string | null;
  etag: string | null;
  consistency_token: string | null;
}

/** A part of a request is optional if it has no required field. */
type Part<K extends string, T> = undefined extends T
  ? { readonly [P in K]?: T }
  : T extends Record<string, never>
    ? { readonly [P in K]?: T }
    : object extends T
      ? { readonly [P in K]?: T }
      : { readonly [P in K]: T };
type Args<C extends AnyCall> = Part<'path', Request<C>['path']> &
  Part<'query', Request<C>['query']> &
  Part<'body', Request<C>['body']>;
type Method<C extends AnyCall> = (request: Args<C>, options?: CallOptions) => Promise<Answer<Output<C>>>;
type PublicCalls = typeof publicCalls;

/** One method for each call, named after its operation id. The stream of changes is not included. */
export type Client = { readonly [Id in keyof PublicCalls]: Method<PublicCalls[Id]> };

const performer = (options: ClientOptions) => {
  const { fetch: send = (url, init) => fetch(url, init), repeat = {} } = options;
  const latest = new LatestWrite(options.carry_consistency ?? true);
  const retry = repeat === false ? { ...RETRY_DEFAULTS, tries: 1 } : { ...RETRY_DEFAULTS, ...repeat };

  /** Sends one request and reads the whole response. Throws `NoAnswerError` if there is none. */
  const exchange = async (url: string, init: RequestInit, signal: AbortSignal | undefined) => {
    const timeout = AbortSignal.timeout(retry.try_ms);
    try {
      const response = await send(url, {
        ...init,
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      return { response, text: await response.text() };
    } catch (error) {
      signal?.throwIfAborted();
      throw new NoAnswerError(error);
    }
  };

  return async (call: WireCall, { body, ...at }: AnyRequest, extra: CallOptions = {}): Promise<Answer<unknown>> => {
    const url = urlOf(options.base_url, call, at);
    const sent = latest.along(call, withKey(call, extra));
    return withRetries(retry, extra.signal, async () => {
      const init = {
        method: call.http?.method ?? 'GET',
        headers: await headersOf(options, sent, body !== undefined),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      };
      const { response, text } = await exchange(url, init, extra.signal);
      if (!response.ok) throw new ApiError(response, text);
      latest.keep(response.headers.get('x-consistency-token'));
      const answer: unknown = response.status === 204 ? null : JSON.parse(text);
      return {
        data: answer === null || call.output === undefined ? answer : call.output.parse(answer),
        status: response.status,
        request_id: response.headers.get('x-request-id'),
        etag: response.headers.get('etag'),
        consistency_token: response.headers.get('x-consistency-token'),
      };
    });
  };
};

/** A client for the given calls: those of the contracts, or the smaller table of a page. */
export const clientOver = (calls: WireCalls, options: ClientOptions): Client => {
  const perform = performer(options);
  // The loop builds what the type declares: the same keys, each with the input and output of its call.
  return Object.fromEntries(
    Object.entries(calls).map(([id, call]) => [
      id,
      (request: AnyRequest, extra?: CallOptions) => perform(call, request, extra),
    ]),
  ) as unknown as Client;
};

interface Page<T> {
  items: readonly T[];
  next_cursor: string | null;
}

/**
 * All rows of a list. Pages are read when their rows are needed: `for await (const clazz of rowsOf((cursor) =>
 * client.listClazzes({ query: { status: ['active'], cursor } })))`. A row that exists throughout is returned once.
 */
export async function* rowsOf<T>(
  list: (cursor: string | undefined) => Promise<Answer<Page<T>>>,
): AsyncGenerator<T, void, undefined> {
  for (let cursor: string | undefined; ;) {
    const { data } = await list(cursor);
    yield* data.items;
    if (data.next_cursor === null) return;
    cursor = data.next_cursor;
  }
}
