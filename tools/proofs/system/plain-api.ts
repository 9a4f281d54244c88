import { randomUUID } from 'node:crypto';
import type { Role } from '../../../libs/contracts/src/scalars.ts';
import { AUDIENCE, ISSUER, issueToken, type Keys } from '@teaching/local/keys.ts';

export interface Answer {
  /** 0: nobody answered. */
  status: number;
  /** Read when somebody looks: whoever counts answers does not spend the time that is measured on large ones. */
  readonly body: unknown;
  token: string | undefined;
  /** What `Retry-After` says. */
  retryAfter: string | undefined;
}

export interface Ask {
  method?: string;
  /** Below `/api/v1`, or from the root when it begins with `//`. */
  path: string;
  body?: unknown;
  org: string;
  as?: Role;
  sub?: string;
  requestId?: string;
  idempotencyKey?: string;
  /** A consistency token to read with. */
  seen?: string;
  patience?: number;
}

export type Api = (ask: Ask) => Promise<Answer>;

/** Nobody answered: what the system said instead stands where a problem's code would. */
const nobody = (error: unknown): Answer => {
  const code = textAt(error, 'cause', 'code') || textAt(error, 'name');
  return { status: 0, body: { code }, token: undefined, retryAfter: undefined };
};

const PATIENCE_MS = 5_000;
const DAY_S = 86_400;

export const tokenOf = (keys: Keys, org: string, role: Role, sub: string): string =>
  issueToken(keys, { org, sub, roles: [role], ttlSeconds: DAY_S, issuer: ISSUER, audience: AUDIENCE });

/** Tokens of anybody of any org, each issued once. */
export const tokensOf = (keys: Keys): ((org: string, role: Role, sub: string) => string) => {
  const tokens = new Map<string, string>();
  return (org, role, sub) => {
    const key = `${org} ${role} ${sub}`;
    const known = tokens.get(key);
    if (known !== undefined) return known;
    const made = tokenOf(keys, org, role, sub);
    tokens.set(key, made);
    return made;
  };
};

/** Calls the gateway. A broken connection is an answer, too. */
export const createApi =
  (address: string, tokenFor: (org: string, role: Role, sub: string) => string): Api =>
  async ({ method = 'GET', path, body, org, as = 'SUPERVISOR', sub = 'boss', seen, ...rest }) => {
    const headers: Record<string, string> = {
      authorization: `Bearer ${tokenFor(org, as, sub)}`,
      'x-request-id': rest.requestId ?? randomUUID(),
      ...(rest.idempotencyKey === undefined ? {} : { 'idempotency-key': rest.idempotencyKey }),
      ...(seen === undefined ? {} : { 'x-consistency-token': seen }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    try {
      const response = await fetch(path.startsWith('//') ? address + path.slice(1) : `${address}/api/v1${path}`, {
        method,
        headers,
        signal: AbortSignal.timeout(rest.patience ?? PATIENCE_MS),
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
      return nobody(error);
    }
  };

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** One field of an answer, by path; `undefined` when it is not there. */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);

export const textAt = (value: unknown, ...path: readonly string[]): string => {
  const found = at(value, ...path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
};

export const listAt = (value: unknown, ...path: readonly string[]): unknown[] => {
  const found: unknown = at(value, ...path);
  return Array.isArray(found) ? found : [];
};
