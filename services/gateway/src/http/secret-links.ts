import { notFound } from '@teaching/contracts';
import { kindOfSecretLink, orgOfSecretLink, type Signer } from '@teaching/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { RequestGuard } from './request-guard.ts';

const MAX_KNOWN = 20_000;
/** Units of work of a look-up: a call and a statement. */
const LOOK_UP_UNITS = 10;

export interface SecretLinks {
  /**
   * Refuses a guess without a call to a service. A secret that may be a guess counts as a failure of the address and
   * waits for its turn. Returns a promise only while it waits or other gateways are asked.
   */
  check(request: FastifyRequest, reply: FastifyReply, secret: string): void | Promise<void>;
  /** The organization of the secret; `undefined` while it may be a guess. */
  orgOf(request: FastifyRequest, secret: string): string | undefined;
  /** Records that the service knew the secret: it is accepted from now on, and its failure is removed. */
  markKnown(request: FastifyRequest, secret: string): void;
}

/**
 * Distinguishes secrets in URLs from guesses by their signature. Secrets older than the signatures are recognized by an
 * earlier success.
 */
export const createSecretLinks = (signer: Signer, guard: RequestGuard): SecretLinks => {
  const known = new LRUCache<string, true>({ max: MAX_KNOWN });
  return {
    check: (request, reply, secret) => {
      const kind = kindOfSecretLink(signer, secret);
      if (kind === 'right' || (kind === 'unknown' && known.has(secret))) return;
      const counted = guard.countFailure(request, reply, 'bad_secret');
      if (kind !== 'wrong')
        return counted === undefined
          ? guard.pace(request, LOOK_UP_UNITS)
          : counted.then(() => guard.pace(request, LOOK_UP_UNITS));
      if (counted === undefined) throw notFound('Calendar');
      return counted.then(() => {
        throw notFound('Calendar');
      });
    },
    orgOf: (request, secret) => (request.refusal === '' ? orgOfSecretLink(secret) : undefined),
    markKnown: (request, secret) => {
      if (request.refusal === '') return;
      guard.undoFailure(request);
      known.set(secret, true);
    },
  };
};
