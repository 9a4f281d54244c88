import { Problem } from '@teaching/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Authenticate, type Caller, Unauthenticated } from '../auth/authenticate.ts';
import { neighbourhoodOf } from './proxies.ts';
import type { RateLimit } from '../limits/rate-limit.ts';
import { admit } from './admission.ts';

/** Finds out who calls, and bounds what those may try who are nobody. */
export interface Guard {
  /** Who calls; throws 401, or 429 once an address has shown too many bad tokens. A good token is never refused for that. */
  identify(request: FastifyRequest, reply: FastifyReply): Caller | Promise<Caller>;
  /** Counts a failure of this address; throws 429 beyond what it may. A promise only while other gateways are asked. */
  fail(request: FastifyRequest, reply: FastifyReply, reason: string): void | Promise<void>;
  /** It was none, after all. */
  forgive(request: FastifyRequest): void;
}

/** `failures` counts those of an address. */
export const createGuard = (authenticate: Authenticate, failures: RateLimit): Guard => {
  const fail: Guard['fail'] = (request, reply, reason) => {
    request.refusal = reason;
    return admit([{ limit: failures, key: neighbourhoodOf(request.ip) }], 1, reply);
  };

  const refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<never> => {
    if (!(error instanceof Unauthenticated)) throw error;
    request.refusal = error.reason;
    // Who sends none, or one that was good, tries nothing.
    const counted = error.reason === 'bad_token' ? fail(request, reply, error.reason) : undefined;
    if (counted === undefined) throw error;
    return counted.then(() => {
      throw error;
    });
  };

  return {
    fail,
    forgive: (request) => {
      request.refusal = '';
      failures.giveBack(neighbourhoodOf(request.ip), 1);
    },
    identify: (request, reply) => {
      try {
        const found = authenticate(request);
        if (!(found instanceof Promise)) return (request.identity = found);
        return found.then(
          (identity) => (request.identity = identity),
          (error: unknown) => refuse(request, reply, error),
        );
      } catch (error) {
        return refuse(request, reply, error);
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
  if (!isKnown) await guard.fail(request, reply, 'unknown_path');
  throw new Problem('not_found', 'No such path');
};
