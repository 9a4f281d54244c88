import type { RepeatOptions } from './retry.ts';

/** The data of a call that the client needs to send it. */
export interface WireCall {
  id: string;
  service: string;
  http: { method: string; path: string } | null;
  /** Validates a response and drops unknown fields. Without it, responses are returned as received. */
  output?: { parse(answer: unknown): unknown };
}
/** Calls by the names of their methods. */
export type WireCalls = Readonly<Record<string, WireCall>>;

export interface ClientOptions {
  /** URL of the gateway, such as `https://api.example.org`. */
  base_url: string;
  /** A bearer token, or a function that returns one for each call. Omit it in a page with a session cookie. */
  token?: string | (() => string | Promise<string>);
  fetch?: typeof fetch;
  /** How requests with temporary errors are repeated; `false`: each request is sent once. */
  repeat?: Partial<RepeatOptions> | false;
  /** Whether reads of statistics wait for the latest write of this client. Default true. */
  carry_consistency?: boolean;
}

/** Options of one call. */
export interface CallOptions {
  /** The `Idempotency-Key` of a write. Default: a new key for each write. */
  idempotency_key?: string;
  /** The ETag on which a change is based. */
  if_match?: string;
  /**
   * The token of an earlier write, for which a read of statistics waits. Default: that of the latest write of this
   * client.
   */
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

/** The URL of a request. Throws if the call has no route. */
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

/** The options with an idempotency key, if the call is a write. All attempts use the same key. */
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

/** Stores the consistency token of the latest write and adds it to reads of statistics. */
export class LatestWrite {
  readonly #carries: boolean;
  #token: string | undefined;

  constructor(carries: boolean) {
    this.#carries = carries;
  }

  keep(token: string | null): void {
    if (this.#carries && token !== null) this.#token = token;
  }

  /** The options of a call with the stored token. A token of the caller has precedence. */
  along(call: WireCall, options: CallOptions): CallOptions {
    const token = options.consistency_token ?? (call.service === 'stats' ? this.#token : undefined);
    return token === undefined ? options : { ...options, consistency_token: token };
  }
}
