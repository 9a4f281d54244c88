import { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { type AnyCall, SYSTEM_ORG_ID, Problem } from '@teaching/contracts';
import {
  activeTraceId,
  type CallHead,
  sendCall,
  type ReplyHead,
  type Requester,
  withSpan,
  traceparent,
} from '@teaching/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../auth/authenticate.ts';
import { hasMatchingEtag, prefersType } from '../negotiate/negotiation.ts';
import type { RateLimit } from '../limits/rate-limit.ts';
import { admitRequest, type CountedLimit } from './admission.ts';
import { checkContentType, checkLength, expectsContinue, sendContinue } from './request-body.ts';
import type { RequestGuard } from './request-guard.ts';
import type { IsProxy } from './trusted-proxies.ts';
import type { SecretLinks } from './secret-links.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The trace id of this request; empty before its route starts and when tracing is off. */
    trace_id: string;
  }
}

const MAX_SECRET = 255;
const PATH_PARAMETER = /\{(\w+)\}/g;

/** Limits of calls. */
export interface CallLimits {
  user: RateLimit;
  org: RateLimit;
  /** Counts by secret in the path, separately from users: guessed secrets evict no user's count. */
  link: RateLimit;
}

export interface RouteDeps {
  requester: Requester;
  guard: RequestGuard;
  limits: CallLimits;
  secretLinks: SecretLinks;
  /** True for the address of a trusted proxy. */
  isProxy: IsProxy | undefined;
  /** Counts the call as in progress, or throws 503. */
  enter: (org_id: string, reply: FastifyReply) => void;
  timeoutMs: number;
}

const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
};

const rawQuery = (request: FastifyRequest): string | undefined => {
  const at = request.raw.url?.indexOf('?') ?? -1;
  return at < 0 ? undefined : request.raw.url?.slice(at + 1);
};

/** The head that is sent with the call; absent values are omitted. */
const headOf = (call: AnyCall, request: FastifyRequest, identity: Caller | null, timeoutMs: number): CallHead => {
  const head: CallHead = {
    request_id: request.id,
    deadline: performance.now() + timeoutMs - request.paused_ms,
    ip: request.ip,
  };
  if (identity !== null) head.caller = identity.signedCaller;
  const params = request.params as Record<string, string>; // Fastify's router fills it with text.
  if (call.http?.path.includes('{')) {
    // `/clazz/` is an unknown path, not a class with an empty id.
    if (Object.values(params).includes('')) throw new Problem('not_found', 'No such path');
    head.path = params;
  }
  const query = rawQuery(request);
  if (query !== undefined) head.query = query;
  const key = headerOf(request, 'idempotency-key');
  if (key !== undefined) head.idempotency_key = key;
  const match = headerOf(request, 'if-match');
  if (match !== undefined) head.if_match = match;
  const none = headerOf(request, 'if-none-match');
  if (none !== undefined) head.if_none_match = none;
  const since = headerOf(request, 'if-modified-since');
  if (since !== undefined) head.if_modified_since = since;
  const token = headerOf(request, 'x-consistency-token');
  if (token !== undefined) head.consistency_token = token;
  if (call.other_type !== null && isOther(call, request)) head.accept = call.other_type;
  const trace = traceparent();
  if (trace !== undefined) head.trace = trace;
  return head;
};

/** True when the caller prefers the other content type of the call. */
const isOther = ({ other_type }: AnyCall, request: FastifyRequest): boolean =>
  other_type !== null && prefersType(headerOf(request, 'accept'), other_type);

/** Calls `continueWith` with the value: at once for a plain value, later for a promise. */
const andThen = <T, U>(value: T | Promise<T>, continueWith: (it: T) => U | Promise<U>): U | Promise<U> =>
  value instanceof Promise ? value.then(continueWith) : continueWith(value);

/** The secret in a path, which identifies a person. Real secrets are shorter than the limit. */
const secretOf = (request: FastifyRequest): string =>
  Object.values(request.params as Record<string, string>)
    .join(' ')
    .slice(0, MAX_SECRET);

/** True when the caller already has this response (`If-None-Match`). */
const isKnown = (request: FastifyRequest, { etag }: ReplyHead): boolean =>
  etag !== undefined && hasMatchingEtag(headerOf(request, 'if-none-match'), etag);

const bodyOf = (request: FastifyRequest): Uint8Array =>
  Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);

const setHeaders = (reply: FastifyReply, call: AnyCall, head: ReplyHead): void => {
  reply.code(head.status);
  if (head.etag !== undefined) reply.header('etag', head.etag);
  if (head.consistency_token !== undefined) reply.header('x-consistency-token', head.consistency_token);
  // A response is for one caller at one moment, unless the service sets other headers.
  reply.header('cache-control', 'no-store');
  for (const name in head.headers) reply.header(name, head.headers[name]);
  if (call.other_type !== null) reply.header('vary', 'Accept');
  if (head.status === 503) reply.header('retry-after', 1);
  if (head.status !== 204 && head.status !== 304)
    reply.header('content-type', head.type ?? 'application/json; charset=utf-8');
};

/** Registers one call as a route: admission, then the body's bytes over the bus, then the reply's bytes back. */
export const registerCallRoute = (app: FastifyInstance, call: AnyCall, deps: RouteDeps): void => {
  if (call.http === null) return;
  const { requester, timeoutMs, limits } = deps;
  const allowed = call.roles;
  const { method, path } = call.http;
  const isRead = method === 'GET';

  /** Continues a trace that a trusted proxy started. A trace header of any other client is kept as a link only. */
  const traceOf = (request: FastifyRequest): { parent?: string | undefined; link?: string | undefined } => {
    const given = headerOf(request, 'traceparent');
    return deps.isProxy?.(request.socket.remoteAddress) === true ? { parent: given } : { link: given };
  };

  const costOf = (request: FastifyRequest): number => (isOther(call, request) ? call.other_type_cost : call.cost);

  /** Checks of an identified caller's request that need no body: role, limits, length, content type. */
  const admitCaller = (
    request: FastifyRequest,
    reply: FastifyReply,
    { org_id, account, roles }: Caller,
  ): void | Promise<void> => {
    if (Array.isArray(allowed) && !roles.some((role) => allowed.includes(role))) throw new Problem('forbidden');
    const counted: CountedLimit[] = [
      { limit: limits.user, key: account },
      { limit: limits.org, key: org_id },
    ];
    return andThen(admitRequest(counted, costOf(request), reply), () => {
      if (isRead) return;
      checkLength(request, call.max_body);
      if (!expectsContinue(request)) return;
      checkContentType(request);
      sendContinue(reply);
    });
  };

  const admitSecret = (request: FastifyRequest, reply: FastifyReply): void | Promise<void> => {
    const secret = secretOf(request);
    return andThen(deps.secretLinks.check(request, reply, secret), () => {
      const org_id = deps.secretLinks.orgOf(request, secret);
      const ofOrg = org_id === undefined ? [] : [{ limit: limits.org, key: org_id }];
      return admitRequest([{ limit: limits.link, key: secret }, ...ofOrg], costOf(request), reply);
    });
  };

  /** Runs before any byte of the body is read. Synchronous unless a token must be verified or another gateway asked. */
  const enterRoute = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const entered =
      allowed === 'anyone'
        ? admitSecret(request, reply)
        : andThen(deps.guard.identify(request, reply), (caller) => admitCaller(request, reply, caller));
    if (entered instanceof Promise) callbackify(() => entered)((error) => done(error ?? undefined));
    else done();
  };

  const send = (head: CallHead, body: Uint8Array) => sendCall(requester, call, head, body);

  /**
   * Follows `next` page by page, so that a long export needs no long message. `checkAccess` throws when the caller is
   * revoked.
   */
  async function* pages(
    head: CallHead,
    first: { head: ReplyHead; body: Buffer },
    checkAccess: () => void,
  ): AsyncGenerator<Buffer> {
    yield first.body;
    let next = first.head.next;
    while (next !== undefined) {
      const query = new URLSearchParams(head.query);
      query.set('cursor', next);
      checkAccess();
      const more = await send(
        { ...head, query: query.toString(), deadline: performance.now() + timeoutMs },
        Buffer.alloc(0),
      );
      if (more.head.status >= 400) throw new Error(`an export failed with status ${more.head.status}`);
      yield more.body;
      next = more.head.next;
    }
  }

  const perform = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // The caller may have been revoked while the body arrived.
    deps.guard.checkRevocation(request, reply);
    const head = headOf(call, request, request.identity, timeoutMs);
    deps.enter(request.identity?.org_id ?? SYSTEM_ORG_ID, reply);
    const answer = await send(head, bodyOf(request));
    if (allowed === 'anyone' && answer.head.status < 400) deps.secretLinks.markKnown(request, secretOf(request));
    if (isRead && answer.head.status === 200 && isKnown(request, answer.head)) {
      answer.head.status = 304;
      setHeaders(reply, call, answer.head);
      return reply.send();
    }
    setHeaders(reply, call, answer.head);
    if (answer.head.next !== undefined) {
      const checkAccess = (): void => deps.guard.checkRevocation(request, reply);
      return reply.send(Readable.from(pages(head, answer, checkAccess)));
    }
    return reply.send(answer.head.status === 204 ? undefined : answer.body);
  };

  app.route({
    method,
    url: path.replaceAll(PATH_PARAMETER, ':$1'),
    bodyLimit: call.max_body,
    onRequest: enterRoute,
    handler: (request, reply) =>
      withSpan(`${method} ${path}`, { kind: 'server', ...traceOf(request) }, () => {
        request.trace_id = activeTraceId();
        return perform(request, reply);
      }),
  });
};
