import { notFound } from '@teaching/contracts';
import { kindOfSecretLink, orgOfSecretLink, type Signer } from '@teaching/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { RequestGuard } from './request-guard.ts';

const MAX_KNOWN = 20_000;

export interface SecretLinks {
  /**
   * Refuses a guess without a call to a service. A secret that may be a guess passes as often as the address may fail;
   * a promise only while other gateways are asked how often that is.
   */
  check(request: FastifyRequest, reply: FastifyReply, secret: string): void | Promise<void>;
  /** The organization it speaks for; `undefined` while it may be a guess. */
  orgOf(request: FastifyRequest, secret: string): string | undefined;
  /** The service knew it: such a one is let through from now on, and was no failure. */
  wasGood(request: FastifyRequest, secret: string): void;
}

/** Knows secrets in addresses from guesses by their stamps; those of before there were stamps by how they were answered. */
export const createSecretLinks = (signer: Signer, guard: RequestGuard): SecretLinks => {
  const known = new LRUCache<string, true>({ max: MAX_KNOWN });
  return {
    check: (request, reply, secret) => {
      const kind = kindOfSecretLink(signer, secret);
      if (kind === 'right' || (kind === 'unknown' && known.has(secret))) return;
      const counted = guard.fail(request, reply, 'bad_secret');
      if (kind !== 'wrong') return counted;
      if (counted === undefined) throw notFound('Calendar');
      return counted.then(() => {
        throw notFound('Calendar');
      });
    },
    orgOf: (request, secret) => (request.refusal === '' ? orgOfSecretLink(secret) : undefined),
    wasGood: (request, secret) => {
      if (request.refusal === '') return;
      guard.forgive(request);
      known.set(secret, true);
    },
  };
};
