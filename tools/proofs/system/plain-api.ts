import { randomUUID } from 'node:crypto';
import type { Role } from '../../../libs/contracts/src/scalars.ts';
import { AUDIENCE, ISSUER, issueToken, type Keys } from '@teaching/local/keys.ts';

export interface Answer {
  /** HTTP status; 0 when there was no answer. */
  status: number;
  /** Parsed on access only, so that large bodies take no time in a measurement that reads only the status. */
  readonly body: unknown;
  token: string | undefined;
  /** Value of the `Retry-After` header. */
  retryAfter: string | undefined;
}

export interface ApiRequest {
  method?: string;
  /** Path below `/api/v1`, or from the root when it begins with `//`. */
  path: string;
  body?: unknown;
  org: string;
  as?: Role;
  sub?: string;
  requestId?: string;
  idempotencyKey?: string;
  /** Consistency token for the read. */
  consistencyToken?: string;
  timeout?: number;
}

export type Api = (ask: ApiRequest) => Promise<Answer>;

/** An answer of status 0. The error code of the system takes the place of the problem's code. */
const noAnswer = (error: unknown): Answer => {
  const code = textAt(error, 'cause', 'code') || textAt(error, 'name');
  return { status: 0, body: { code }, token: undefined, retryAfter: undefined };
};

const TIMEOUT_MS = 5_000;
const DAY_S = 86_400;

export const tokenOf = (keys: Keys, org: string, role: Role, sub: string, ageSeconds = 0): string =>
  issueToken(keys, { org, sub, roles: [role], ttlSeconds: DAY_S, ageSeconds, issuer: ISSUER, audience: AUDIENCE });

/**
 * Returns a function that issues a token for any person of any organization, each only once. `ageSeconds`: for how long
 * the tokens exist already.
 */
export const tokensOf = (keys: Keys, ageSeconds = 0): ((org: string, role: Role, sub: string) => string) => {
  const tokens = new Map<string, string>();
  return (org, role, sub) => {
    const key = `${org} ${role} ${sub}`;
    const cached = tokens.get(key);
    if (cached !== undefined) return cached;
    const token = tokenOf(keys, org, role, sub, ageSeconds);
    tokens.set(key, token);
    return token;
  };
};

/** Creates a client of the gateway. A broken connection is returned as an answer with status 0. */
export const createApi =
  (address: string, tokenFor: (org: string, role: Role, sub: string) => string): Api =>
  async ({ method = 'GET', path, body, org, as = 'SUPERVISOR', sub = 'boss', consistencyToken, ...rest }) => {
    const headers: Record<string, string> = {
      authorization: `Bearer ${tokenFor(org, as, sub)}`,
      'x-request-id': rest.requestId ?? randomUUID(),
      ...(rest.idempotencyKey === undefined ? {} : { 'idempotency-key': rest.idempotencyKey }),
      ...(consistencyToken === undefined ? {} : { 'x-consistency-token': consistencyToken }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    try {
      const response = await fetch(path.startsWith('//') ? address + path.slice(1) : `${address}/api/v1${path}`, {
        method,
        headers,
        signal: AbortSignal.timeout(rest.timeout ?? TIMEOUT_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
      return {
        status: response.status,
        get body(): unknown {
          return isJson ? JSON.parse(text) : text;
        },
        token: response.headers.get('x-consistency-token') ?? undefined,
        retryAfter: response.headers.get('retry-after') ?? undefined,
      };
    } catch (error) {
      return noAnswer(error);
    }
  };

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A field of an answer, by path; `undefined` when it is missing. */
export const fieldAt = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);

export const textAt = (value: unknown, ...path: readonly string[]): string => {
  const field = fieldAt(value, ...path);
  return typeof field === 'string' || typeof field === 'number' ? String(field) : '';
};

export const listAt = (value: unknown, ...path: readonly string[]): unknown[] => {
  const field: unknown = fieldAt(value, ...path);
  return Array.isArray(field) ? field : [];
};
