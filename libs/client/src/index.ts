import { type AnyCall, callGroups, type Calls, type Output, type Request } from '@teaching/contracts';
import { ApiError } from './api-error.ts';
import { headersOf, urlOf, type AnyRequest, type CallOptions, type ClientOptions } from './request.ts';

export { ApiError } from './api-error.ts';
export type { CallOptions, ClientOptions } from './request.ts';

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
type Groups = typeof callGroups;

/** One method for each call with a route, grouped as in the contracts. */
export type Client = {
  readonly [G in keyof Groups]: {
    readonly [K in keyof Groups[G]]: Groups[G][K] extends AnyCall ? Method<Groups[G][K]> : never;
  };
};

const performer = (options: ClientOptions) => {
  const send = options.fetch ?? fetch;
  return async (call: AnyCall, request: AnyRequest, extra: CallOptions = {}): Promise<Answer<unknown>> => {
    const { body } = request;
    const response = await send(urlOf(options.base_url, call, request), {
      method: call.http?.method ?? 'GET',
      headers: await headersOf(options, extra, body !== undefined),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(extra.signal === undefined ? {} : { signal: extra.signal }),
    });
    if (!response.ok) throw await ApiError.from(response);
    return {
      data: response.status === 204 ? null : call.output.parse(await response.json()),
      status: response.status,
      request_id: response.headers.get('x-request-id'),
      etag: response.headers.get('etag'),
      consistency_token: response.headers.get('x-consistency-token'),
    };
  };
};

/** A typed client of the HTTP API. Refusals are thrown as `ApiError`. */
export const createClient = (options: ClientOptions): Client => {
  const perform = performer(options);
  const groupOf = (calls: Calls) =>
    Object.fromEntries(
      Object.entries(calls)
        .filter(([, call]) => call.http !== null)
        .map(([name, call]) => [name, (request: AnyRequest, extra?: CallOptions) => perform(call, request, extra)]),
    );
  // The types say what the loop builds: the same keys, each call's own input and output.
  return Object.fromEntries(
    Object.entries<Calls>(callGroups).map(([name, calls]) => [name, groupOf(calls)]),
  ) as unknown as Client;
};
