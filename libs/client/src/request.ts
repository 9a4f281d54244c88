import type { AnyCall } from '@teaching/contracts';

export interface ClientOptions {
  /** Where the gateway listens, e.g. `https://api.example.org`. */
  base_url: string;
  /** A bearer token, or how to get one for each call. */
  token: string | (() => string | Promise<string>);
  fetch?: typeof fetch;
}

/** What may go along with a call. */
export interface CallOptions {
  /** Makes a write safe to repeat. */
  idempotency_key?: string;
  /** The ETag a change is based on. */
  if_match?: string;
  /** From an earlier write's answer: a statistics call waits until that write is included. */
  consistency_token?: string;
  signal?: AbortSignal;
}

type Values = Readonly<Record<string, string | number | boolean | undefined>>;
export interface AnyRequest {
  path?: Values;
  query?: Values;
  body?: unknown;
}

export const urlOf = (base: string, call: AnyCall, { path = {}, query = {} }: AnyRequest): string => {
  if (call.http === null) throw new Error(`${call.id} has no route`);
  const filled = call.http.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(path[name])),
  );
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]): [string, string][] =>
      value === undefined ? [] : [[key, String(value)]],
    ),
  ).toString();
  return `${base.replace(/\/$/, '')}${filled}${search === '' ? '' : `?${search}`}`;
};

export const headersOf = async (options: ClientOptions, call: CallOptions, hasBody: boolean): Promise<Headers> => {
  const headers = new Headers();
  const token = typeof options.token === 'string' ? options.token : await options.token();
  headers.set('authorization', `Bearer ${token}`);
  if (hasBody) headers.set('content-type', 'application/json');
  if (call.idempotency_key !== undefined) headers.set('idempotency-key', call.idempotency_key);
  if (call.if_match !== undefined) headers.set('if-match', call.if_match);
  if (call.consistency_token !== undefined) headers.set('x-consistency-token', call.consistency_token);
  return headers;
};
