import { Problem } from '@teaching/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Authenticate, type Caller, Unauthenticated } from '../auth/authenticate.ts';
import type { HoldBack } from './hold-back.ts';
import { neighbourhoodOf } from './proxies.ts';
import type { RateLimit } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What it waits for before it is answered, since its address tries too much; answers whether anybody still listens. */
    held: Promise<boolean> | null;
  }
}

/** Finds out who calls, and bounds what those may try who are nobody. */
export interface Guard {
  /** Who calls; throws 401, or 429 once an address has shown too many bad tokens. A good token is never refused for that. */
  identify(request: FastifyRequest, reply: FastifyReply): Caller | Promise<Caller>;
  /** Counts a failure of this address; throws 429 beyond what it may. */
  fail(request: FastifyRequest, reply: FastifyReply, reason: string): void;
  /** It was none, after all. */
  forgive(request: FastifyRequest): void;
  /** Resolves when what is open to everybody may be answered: at once, unless this address asks for such things all the time. */
  pace: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

export interface GuardDeps {
  authenticate: Authenticate;
  /** Counts failures of an address. */
  failures: RateLimit;
  /** Counts what an address asks for that is open to everybody, and what it asks for without a token or with one of yesterday. */
  asked: RateLimit;
  holdBack: HoldBack;
}

/**
 * What an address tries that has failed too often is held back: a flood costs what its connections may ask in that time,
 * and not what they can send. A good token is taken all the same, as a whole school may share an address.
 */
export const createGuard = ({ authenticate, failures, asked, holdBack }: GuardDeps): Guard => {
  const hold = (request: FastifyRequest): Promise<boolean> => (request.held ??= holdBack(request));

  const fail: Guard['fail'] = (request, reply, reason) => {
    request.refusal = reason;
    const whose = neighbourhoodOf(request.ip);
    if (failures.isSpent(whose)) void hold(request);
    failures.count(whose, reply);
  };

  /** Counts what is no failure and costs all the same; answers whether it is too much of it. */
  const isTooMuch = (request: FastifyRequest, reply: FastifyReply): boolean => {
    const whose = neighbourhoodOf(request.ip);
    if (asked.isSpent(whose)) return true;
    asked.count(whose, reply);
    return false;
  };

  const mayVerify = async (request: FastifyRequest): Promise<boolean> => {
    const whose = neighbourhoodOf(request.ip);
    return failures.isSpent(whose) || asked.isSpent(whose) ? hold(request) : true;
  };

  const refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown): unknown => {
    if (!(error instanceof Unauthenticated)) return error;
    request.refusal = error.reason;
    // Who sends none, or one that was good, tries nothing.
    if (error.reason === 'bad_token') fail(request, reply, error.reason);
    else if (isTooMuch(request, reply)) void hold(request);
    return error;
  };

  return {
    fail,
    pace: async (request, reply) => {
      if (isTooMuch(request, reply)) await hold(request);
    },
    forgive: (request) => {
      request.refusal = '';
      failures.giveBack(neighbourhoodOf(request.ip));
    },
    identify: (request, reply) => {
      try {
        const found = authenticate(request, mayVerify);
        if (!(found instanceof Promise)) return (request.identity = found);
        return found.then(
          (identity) => (request.identity = identity),
          (error: unknown) => {
            throw refuse(request, reply, error);
          },
        );
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
