import { Problem } from '@teaching/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Authenticate, type Caller, Unauthenticated } from '../auth/authenticate.ts';
import type { Doorkeeper } from '../auth/shut-out.ts';
import { neighbourhoodOf } from './proxies.ts';
import type { RateLimit } from './rate-limit.ts';

/** Finds out who calls, and bounds what those may try who are nobody. */
export interface Guard {
  /** Who calls; throws 401, or 429 once an address has shown too many bad tokens. A good token is never refused for that. */
  identify(request: FastifyRequest, reply: FastifyReply): Caller | Promise<Caller>;
  /** Throws 401 when who called must not enter any more: for what goes on after it was found out who calls. */
  checkAgain(request: FastifyRequest, reply: FastifyReply): void;
  /** Counts a failure of this address; throws 429 beyond what it may. */
  fail(request: FastifyRequest, reply: FastifyReply, reason: string): void;
  /** It was none, after all. */
  forgive(request: FastifyRequest): void;
}

/** `failures` counts those of an address. */
export const createGuard = (authenticate: Authenticate, doorkeeper: Doorkeeper, failures: RateLimit): Guard => {
  const fail: Guard['fail'] = (request, reply, reason) => {
    request.refusal = reason;
    failures.count(neighbourhoodOf(request.ip), reply);
  };

  const refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown): unknown => {
    if (!(error instanceof Unauthenticated)) return error;
    request.refusal = error.reason;
    // Who sends none, or one that was good, tries nothing.
    if (error.reason === 'bad_token') fail(request, reply, error.reason);
    return error;
  };

  const admit = (request: FastifyRequest, caller: Caller): Caller => {
    request.identity = caller;
    doorkeeper.check(caller);
    return caller;
  };

  return {
    fail,
    checkAgain: (request, reply) => {
      try {
        if (request.identity !== null) doorkeeper.check(request.identity);
      } catch (error) {
        throw refuse(request, reply, error);
      }
    },
    forgive: (request) => {
      request.refusal = '';
      failures.giveBack(neighbourhoodOf(request.ip));
    },
    identify: (request, reply) => {
      try {
        const found = authenticate(request);
        if (!(found instanceof Promise)) return admit(request, found);
        return found
          .then((caller) => admit(request, caller))
          .catch((error: unknown) => {
            throw refuse(request, reply, error);
          });
      } catch (error) {
        throw refuse(request, reply, error);
      }
    },
  };
};

/** Refuses a path that is none: only a caller who is known may try as many as they like. */
export const refuseUnknownPath = async (guard: Guard, request: FastifyRequest, reply: FastifyReply): Promise<never> => {
  const isKnown =
    request.headers.authorization !== undefined &&
    (await Promise.resolve(guard.identify(request, reply)).then(
      () => true,
      () => false,
    ));
  if (!isKnown) guard.fail(request, reply, 'unknown_path');
  throw new Problem('not_found', 'No such path');
};
