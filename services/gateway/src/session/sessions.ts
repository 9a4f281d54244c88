import { Problem } from '@teaching/contracts';
import { type CallerSigner, createCallerSigner, derivedValue, type LiveValue } from '@teaching/kit';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import {
  type Authenticate,
  callerOf,
  type VerificationGate,
  missingToken,
  Unauthenticated,
} from '../auth/authenticate.ts';
import type { Caller } from '../auth/authenticate.ts';
import type { Cookies, CookieSealer } from './cookies.ts';
import { Session } from './identity.ts';

const MAX_SESSIONS = 20_000;
/** Characters of all cached cookies together. */
const MAX_CACHED_CHARACTERS = 32_000_000;

interface Known {
  caller: Caller;
  session: Session;
  /** The signer of the caller. With a new key the cookie is decrypted again. */
  seal: CallerSigner;
}

export interface Sessions {
  /**
   * Identifies the caller by the session cookie. Throws 401, and 403 for a write that was not sent by a page of the
   * console.
   */
  authenticate: Authenticate;
  /** The session that authenticated a request. */
  of(request: FastifyRequest): Session | undefined;
  /** Throws 403 unless a page of the console sent this request. */
  requireOwnOrigin(request: FastifyRequest): void;
}

export interface SessionDeps {
  cookies: Cookies;
  sealer: CookieSealer;
  sealKey: LiveValue<Parameters<typeof createCallerSigner>[0]>;
  /** Scheme, host and port of the console. */
  origin: string;
}

/**
 * Reads sessions from cookies. A valid session is cached until it ends, so each is decrypted once. The browser sends
 * the cookie with requests of any site, so a write must come from a page of the console (`Origin`, RFC 6454 §7).
 */
export const createSessions = ({ cookies, sealer, sealKey, origin }: SessionDeps): Sessions => {
  const seals = derivedValue(sealKey, createCallerSigner);
  const known = new LRUCache<string, Known>({
    max: MAX_SESSIONS,
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (_known, text) => text.length,
  });
  const isGood = ({ caller, seal }: Known): boolean => seal === seals() && caller.isCurrent();

  const requireOwnOrigin = (request: FastifyRequest): void => {
    if (request.headers.origin === origin) return;
    request.refusal = 'foreign_origin';
    throw new Problem(
      'forbidden',
      'With a session cookie, only pages of the console may do this: the Origin header has another origin',
    );
  };

  const admit = (request: FastifyRequest, caller: Caller): Caller => {
    if (request.method === 'GET' || request.method === 'HEAD') return caller;
    request.identity = caller;
    requireOwnOrigin(request);
    return caller;
  };

  const open = async (request: FastifyRequest, text: string, mayVerify: VerificationGate): Promise<Caller> => {
    if (!(await mayVerify(request))) throw new Unauthenticated('no_token', 'The client has disconnected');
    const secrets = sealer.current();
    const opened = Session.safeParse(await sealer.open('session', text));
    if (!opened.success) throw new Unauthenticated('bad_token', 'The session cookie is not valid');
    const session = opened.data;
    if (session.exp * 1_000 <= Date.now()) throw new Unauthenticated('expired_token', 'The session has expired');
    const seal = seals();
    const caller = callerOf(session, seal, () => secrets === sealer.current());
    known.set(text, { caller, session, seal });
    return admit(request, caller);
  };

  return {
    authenticate: (request, mayVerify) => {
      const text = cookies.read(request, 'session');
      if (text === undefined) throw missingToken();
      const hit = known.get(text);
      return hit !== undefined && isGood(hit) ? admit(request, hit.caller) : open(request, text, mayVerify);
    },
    of: (request) => known.get(cookies.read(request, 'session') ?? '')?.session,
    requireOwnOrigin,
  };
};
