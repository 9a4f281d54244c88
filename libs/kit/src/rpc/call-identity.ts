import { type KeyObject, sign, verify } from 'node:crypto';
import { ALL_ROLES, type AnyCall, SYSTEM_ORG_ID, ID, PersonId, type Role } from '@teaching/contracts';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { readJson } from '../base/json.ts';
import type { CallHead } from './frame.ts';

/** The person for whom a call is made. */
export interface Identity {
  readonly org_id: string;
  readonly user_id: string;
  readonly roles: readonly Role[];
}

const SignedCaller = z.object({
  org_id: ID,
  user_id: PersonId,
  roles: z.array(z.enum(ALL_ROLES)),
  /** Epoch seconds at which the token of the person expires. */
  exp: z.number(),
});

/** The most verified callers in the cache. */
const MOST_CACHED = 20_000;
/**
 * Seconds after the expiry in which a caller is still accepted: the clock of the service may be ahead of that of the
 * gateway, which judges the token itself, and a call that began in time may end. The expiry only limits for how long a
 * signed caller is of use to a service that kept it.
 */
const TOLERANCE_S = 7_200;

export type CallerSigner = (caller: Identity & { exp: number }) => string;

/** Signs callers: the result is text that only the holder of the private key can create (Ed25519, RFC 8032). */
export const createCallerSigner =
  (key: KeyObject): CallerSigner =>
  (caller) => {
    const { org_id, user_id, roles, exp } = caller;
    const payload = Buffer.from(JSON.stringify({ org_id, user_id, roles, exp })).toString('base64url');
    return `${payload}.${sign(null, Buffer.from(payload), key).toString('base64url')}`;
  };

/** Verifies a signed caller. Undefined if the signature is not the gateway's, or if it has expired. */
export type CallerVerifier = (signed: string) => Identity | undefined;

/** Caches each verified caller. While a key is rotated, several keys are valid. */
export const createCallerVerifier = (keys: readonly KeyObject[]): CallerVerifier => {
  const cache = new LRUCache<string, { identity: Identity; until: number }>({ max: MOST_CACHED });

  const readSigned = (signed: string): { identity: Identity; until: number } | undefined => {
    const [payload = '', signature = ''] = signed.split('.');
    const isValid = keys.some((key) => verify(null, Buffer.from(payload), key, Buffer.from(signature, 'base64url')));
    if (!isValid) return undefined;
    const caller = SignedCaller.safeParse(readJson(Buffer.from(payload, 'base64url')));
    if (!caller.success) return undefined;
    const { exp, ...identity } = caller.data;
    return { identity, until: (exp + TOLERANCE_S) * 1_000 };
  };

  const verifyAndCache = (signed: string): { identity: Identity; until: number } | undefined => {
    const found = readSigned(signed);
    if (found !== undefined) cache.set(signed, found);
    return found;
  };

  return (signed) => {
    const found = cache.get(signed) ?? verifyAndCache(signed);
    return found !== undefined && found.until > Date.now() ? found.identity : undefined;
  };
};

/** The head of a call, with the person for whom it is made. */
export interface IdentifiedHead extends CallHead, Identity {}

/**
 * The person for whom a call is made, as the gateway signed it. Calls of `anyone` have no person until a secret in the
 * request names one. Services make calls across all orgs in their own name. Undefined when nothing proves the identity.
 */
export const identityOf = (
  call: AnyCall,
  { caller }: CallHead,
  from: string,
  verifyCaller: CallerVerifier,
): Identity | undefined => {
  if (call.roles === 'anyone') return { org_id: SYSTEM_ORG_ID, user_id: '', roles: [] };
  if (call.scope === 'all orgs') return { org_id: SYSTEM_ORG_ID, user_id: from, roles: [] };
  // The head is not validated: any sender may write any value.
  return typeof caller === 'string' ? verifyCaller(caller) : undefined;
};
