import { Problem } from '@teaching/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Authenticate, type Caller, Unauthenticated } from '../auth/authenticate.ts';
import type { Revocations } from '../auth/revocations.ts';
import type { ResponseDelay } from './response-delay.ts';
import { type AddressPace, BYTES_PER_UNIT } from './address-pace.ts';
import { addressGroupOf } from './trusted-proxies.ts';
import type { RateLimit } from '../limits/rate-limit.ts';
import { admitRequest } from './admission.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The delay before the answer, because its address fails or asks too often or fast. Resolves to whether the client is still
     * connected.
     */
    held: Promise<boolean> | null;
  }
}

/** Identifies callers, and bounds the attempts of clients without an identity. */
export interface RequestGuard {
  /**
   * Identifies the caller; throws 401, or 429 once an address has sent too many bad tokens. A valid token is never
   * refused for that.
   */
  identify(request: FastifyRequest, reply: FastifyReply): Caller | Promise<Caller>;
  /** Throws 401 when the caller was revoked after it was identified. */
  checkRevocation(request: FastifyRequest, reply: FastifyReply): void;
  /**
   * Counts a failure of this address; throws 429 beyond the limit. Returns a promise only while other gateways are
   * asked.
   */
  countFailure(request: FastifyRequest, reply: FastifyReply, reason: string): void | Promise<void>;
  /**
   * Waits until the address of this request may cause so many units of work, beside what the other functions count.
   * Returns a promise only if it must wait.
   */
  pace(request: FastifyRequest, units: number): void | Promise<void>;
  /** Removes a counted failure. */
  undoFailure(request: FastifyRequest): void;
  /** Resolves when a public path may be answered: at once, unless this address sends too many such requests, or too fast. */
  limitPublicRequests: (request: FastifyRequest) => Promise<void>;
}

export interface RequestGuardDeps {
  authenticate: Authenticate;
  revocations: Revocations;
  /** Counts failures of an address. */
  failures: RateLimit;
  /** Counts requests of an address for public paths, and those without a token or with an expired one. */
  publicRequests: RateLimit;
  delay: ResponseDelay;
  addressPace: AddressPace;
}

/** The units of a body whose length is not announced, and the most of any: a connection that was refused soon ends. */
const MOST_BODY_UNITS = 16;

/** The units of work to receive and discard the body of a request, if it is refused. */
const bodyUnits = ({ headers }: FastifyRequest): number => {
  if (headers['transfer-encoding'] !== undefined) return MOST_BODY_UNITS;
  const length = Number(headers['content-length'] ?? 0);
  return length <= BYTES_PER_UNIT ? 0 : Math.min(Math.ceil(length / BYTES_PER_UNIT), MOST_BODY_UNITS);
};

/**
 * Delays the requests of an address that has failed too often: a flood gets only as many answers as its connections are
 * allowed. Until then its requests without a known token are performed one after the other. A valid token is accepted without delay, because a whole school may share one address.
 */
export const createRequestGuard = ({
  authenticate,
  revocations,
  failures,
  publicRequests,
  delay,
  addressPace,
}: RequestGuardDeps): RequestGuard => {
  /** The delay that lets an address cause so many units of work; null for none. */
  const turnOf = (request: FastifyRequest, units: number): Promise<boolean> | null => {
    const ms = addressPace(addressGroupOf(request.ip), units);
    return ms > 0 ? delay(request, ms) : null;
  };

  /** Delays a request once: long beyond a limit, otherwise until its turn. */
  const slowDown = (request: FastifyRequest, isBeyond: boolean): Promise<boolean> | null =>
    (request.held ??= isBeyond ? delay(request) : turnOf(request, 1 + bodyUnits(request)));

  const countFailure: RequestGuard['countFailure'] = (request, reply, reason) => {
    request.refusal = reason;
    const group = addressGroupOf(request.ip);
    void slowDown(request, failures.isSpent(group));
    return admitRequest([{ limit: failures, key: group }], 1, reply);
  };

  /** Counts a request that is not a failure but has a cost; returns true beyond the limit. */
  const isTooMuch = (request: FastifyRequest): boolean => publicRequests.take(addressGroupOf(request.ip), 1) === false;

  const mayVerify = async (request: FastifyRequest): Promise<boolean> => {
    const group = addressGroupOf(request.ip);
    return (await slowDown(request, failures.isSpent(group) || publicRequests.isSpent(group))) ?? true;
  };

  const note = (request: FastifyRequest, reply: FastifyReply, error: unknown): void | Promise<void> => {
    if (!(error instanceof Unauthenticated)) return;
    request.refusal = error.reason;
    if (error.reason === 'bad_token') return countFailure(request, reply, error.reason);
    // A missing token, or one that was valid once, is not an attempt to guess.
    void slowDown(request, isTooMuch(request));
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
    countFailure,
    limitPublicRequests: async (request) => {
      await slowDown(request, isTooMuch(request));
    },
    pace: (request, units) => turnOf(request, units)?.then(() => undefined),
    checkRevocation: (request, reply) => {
      try {
        if (request.identity !== null) revocations.check(request.identity);
      } catch (error) {
        void note(request, reply, error);
        throw error;
      }
    },
    undoFailure: (request) => {
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

/** Answers an unknown path with 404 and counts a failure; identified callers are not counted. */
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
  if (!isKnown) await guard.countFailure(request, reply, 'unknown_path');
  throw new Problem('not_found', 'No such path');
};
