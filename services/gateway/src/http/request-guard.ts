import { Problem } from '@teaching/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Authenticate, type Caller, Unauthenticated } from '../auth/authenticate.ts';
import type { Revocations } from '../auth/revocations.ts';
import type { ResponseDelay } from './response-delay.ts';
import { addressGroupOf } from './trusted-proxies.ts';
import type { RateLimit } from '../limits/rate-limit.ts';
import { admit } from './admission.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The delay before its answer, since its address fails or asks too often; resolves to whether the client is still there. */
    held: Promise<boolean> | null;
  }
}

/** Identifies callers, and bounds the attempts of clients without an identity. */
export interface RequestGuard {
  /** The caller; throws 401, or 429 once an address has sent too many bad tokens. A good token is never refused for that. */
  identify(request: FastifyRequest, reply: FastifyReply): Caller | Promise<Caller>;
  /** Throws 401 when the caller was revoked since it was identified. */
  checkAgain(request: FastifyRequest, reply: FastifyReply): void;
  /** Counts a failure of this address; throws 429 beyond what it may. A promise only while other gateways are asked. */
  fail(request: FastifyRequest, reply: FastifyReply, reason: string): void | Promise<void>;
  /** Takes a counted failure back. */
  forgive(request: FastifyRequest): void;
  /** Resolves when what is open to everybody may be answered: at once, unless this address asks for such things all the time. */
  pace: (request: FastifyRequest) => Promise<void>;
}

export interface RequestGuardDeps {
  authenticate: Authenticate;
  revocations: Revocations;
  /** Counts failures of an address. */
  failures: RateLimit;
  /** Counts what an address asks for that is open to everybody, and what it asks for without a token or with one of yesterday. */
  asked: RateLimit;
  delay: ResponseDelay;
}

/**
 * What an address tries that has failed too often is held back: a flood costs what its connections may ask in that time,
 * and not what they can send. A good token is taken all the same, as a whole school may share an address.
 */
export const createRequestGuard = ({
  authenticate,
  revocations,
  failures,
  asked,
  delay,
}: RequestGuardDeps): RequestGuard => {
  const hold = (request: FastifyRequest): Promise<boolean> => (request.held ??= delay(request));

  const fail: RequestGuard['fail'] = (request, reply, reason) => {
    request.refusal = reason;
    const whose = addressGroupOf(request.ip);
    if (failures.isSpent(whose)) void hold(request);
    return admit([{ limit: failures, key: whose }], 1, reply);
  };

  /** Counts what is no failure and costs all the same; answers whether it is too much of it. */
  const isTooMuch = (request: FastifyRequest): boolean => asked.take(addressGroupOf(request.ip), 1) === false;

  const mayVerify = async (request: FastifyRequest): Promise<boolean> => {
    const whose = addressGroupOf(request.ip);
    return failures.isSpent(whose) || asked.isSpent(whose) ? hold(request) : true;
  };

  const note = (request: FastifyRequest, reply: FastifyReply, error: unknown): void | Promise<void> => {
    if (!(error instanceof Unauthenticated)) return;
    request.refusal = error.reason;
    if (error.reason === 'bad_token') return fail(request, reply, error.reason);
    // A missing token, or one that was good once, is no attempt to guess.
    if (isTooMuch(request)) void hold(request);
  };

  const refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<never> => {
    const noted = note(request, reply, error);
    if (noted === undefined) throw error;
    return noted.then(() => {
      throw error;
    });
  };

  const enter = (request: FastifyRequest, caller: Caller): Caller => {
    request.identity = caller;
    revocations.check(caller);
    return caller;
  };

  return {
    fail,
    pace: async (request) => {
      if (isTooMuch(request)) await hold(request);
    },
    checkAgain: (request, reply) => {
      try {
        if (request.identity !== null) revocations.check(request.identity);
      } catch (error) {
        void note(request, reply, error);
        throw error;
      }
    },
    forgive: (request) => {
      request.refusal = '';
      failures.giveBack(addressGroupOf(request.ip), 1);
    },
    identify: (request, reply) => {
      try {
        const found = authenticate(request, mayVerify);
        if (!(found instanceof Promise)) return enter(request, found);
        return found.then((caller) => enter(request, caller)).catch((error: unknown) => refuse(request, reply, error));
      } catch (error) {
        return refuse(request, reply, error);
      }
    },
  };
};

/** Refuses an unknown path; only an identified caller may try any number of them. */
export const refuseUnknownPath = async (
  guard: RequestGuard,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<never> => {
  const isKnown =
    (request.headers.authorization ?? request.headers.cookie) !== undefined &&
    (await Promise.resolve(guard.identify(request, reply)).then(
      () => true,
      () => false,
    ));
  if (!isKnown) await guard.fail(request, reply, 'unknown_path');
  throw new Problem('not_found', 'No such path');
};
