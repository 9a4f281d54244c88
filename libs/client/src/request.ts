import type { RepeatOptions } from './retry.ts';

/** What a client has to know of a call to send it. */
export interface WireCall {
  id: string;
  service: string;
  http: { method: string; path: string } | null;
  /** Checks an answer, and leaves out what the client does not know; without it answers are taken as they come. */
  output?: { parse(answer: unknown): unknown };
}
/** By the names of their methods. */
export type WireCalls = Readonly<Record<string, WireCall>>;

export interface ClientOptions {
  /** Where the gateway listens, e.g. `https://api.example.org`. */
  base_url: string;
  /** A bearer token, or how to get one for each call; none in a page whose session is a cookie. */
  token?: string | (() => string | Promise<string>);
  fetch?: typeof fetch;
  /** How calls are repeated that may do better the next time; `false`: each is sent once. */
  repeat?: Partial<RepeatOptions> | false;
  /** Reads of statistics wait for this client's latest write; `false`: only for a token given with the call. */
  carry_consistency?: boolean;
}

/** What may go along with a call. */
export interface CallOptions {
  /** What makes a write safe to repeat. One is made for each write that has none. */
  idempotency_key?: string;
  /** The ETag a change is based on. */
  if_match?: string;
  /** From an earlier write's answer: a statistics call waits until that write is included. By default the latest of this client. */
  consistency_token?: string;
  signal?: AbortSignal;
}

type Value = string | number | boolean | undefined;
type Values = Readonly<Record<string, Value | readonly Value[]>>;
export interface AnyRequest {
  path?: Values;
  query?: Values;
  body?: unknown;
}

export const urlOf = (base: string, call: WireCall, { path = {}, query = {} }: AnyRequest): string => {
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

/** The call's options; a write has a key of its own in all its tries. */
export const withKey = (call: WireCall, options: CallOptions): CallOptions =>
  call.http?.method === 'GET'
    ? options
    : { ...options, idempotency_key: options.idempotency_key ?? crypto.randomUUID() };

export const headersOf = async (options: ClientOptions, call: CallOptions, hasBody: boolean): Promise<Headers> => {
  const headers = new Headers();
  const token = typeof options.token === 'function' ? await options.token() : options.token;
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  if (hasBody) headers.set('content-type', 'application/json');
  if (call.idempotency_key !== undefined) headers.set('idempotency-key', call.idempotency_key);
  if (call.if_match !== undefined) headers.set('if-match', call.if_match);
  if (call.consistency_token !== undefined) headers.set('x-consistency-token', call.consistency_token);
  return headers;
};

/** Remembers the consistency token of the latest write, and sends it along with reads of statistics. */
export class LatestWrite {
  readonly #carries: boolean;
  #token: string | undefined;

  constructor(carries: boolean) {
    this.#carries = carries;
  }

  keep(token: string | null): void {
    if (this.#carries && token !== null) this.#token = token;
  }

  /** The options of a call; a token that the caller gives comes first. */
  along(call: WireCall, options: CallOptions): CallOptions {
    const token = options.consistency_token ?? (call.service === 'stats' ? this.#token : undefined);
    return token === undefined ? options : { ...options, consistency_token: token };
  }
}
