import type { AnyCall, Output, publicCalls, Request } from '@teaching/contracts';
import { ApiError, NoAnswerError } from './api-error.ts';
import { LatestWrite } from './latest-write.ts';
import { repeated, STANDARD } from './repeat.ts';
import type { WireCall, WireCalls } from './wire.ts';
import { headersOf, urlOf, withKey, type AnyRequest, type CallOptions, type ClientOptions } from './request.ts';

export interface Answer<T> {
  data: T;
  status: number;
  request_id: string | null;
  etag: string | null;
  consistency_token: string | null;
}

/** A part that may be empty may be left out; one with a mandatory field may not. */
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

/** One method for each call that is answered whole, named by its operation id. */
export type Client = { readonly [Id in keyof PublicCalls]: Method<PublicCalls[Id]> };

const performer = (options: ClientOptions) => {
  const { fetch: send = (url, init) => fetch(url, init), repeat = {} } = options;
  const latest = new LatestWrite(options.carry_consistency ?? true);
  const often = repeat === false ? { ...STANDARD, tries: 1 } : { ...STANDARD, ...repeat };

  /** The whole answer. */
  const exchange = async (url: string, init: RequestInit, signal: AbortSignal | undefined) => {
    const late = AbortSignal.timeout(often.try_ms);
    try {
      const response = await send(url, {
        ...init,
        signal: signal === undefined ? late : AbortSignal.any([signal, late]),
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
    return repeated(often, extra.signal, async () => {
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

/** A client over these calls: those of the contracts, or what of them is left where a page has to be small. */
export const clientOver = (calls: WireCalls, options: ClientOptions): Client => {
  const perform = performer(options);
  // The types say what the loop builds: the same keys, each call's own input and output.
  return Object.fromEntries(
    Object.entries(calls).map(([id, call]) => [
      id,
      (request: AnyRequest, extra?: CallOptions) => perform(call, request, extra),
    ]),
  ) as unknown as Client;
};
