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

const SealedCaller = z.object({
  org_id: ID,
  user_id: PersonId,
  roles: z.array(z.enum(ALL_ROLES)),
  /** Epoch seconds; the person's token ends then. */
  exp: z.number(),
});

/** Callers that are remembered once they were found good. */
const MOST_KNOWN = 20_000;
/** Clocks differ, and a call that began in time may end. */
const TOLERANCE_S = 60;

export type CallerSigner = (caller: Identity & { exp: number }) => string;

/** Makes text of a caller that only the holder of the private key could have made (Ed25519, RFC 8032). */
export const createCallerSigner =
  (key: KeyObject): CallerSigner =>
  (caller) => {
    const { org_id, user_id, roles, exp } = caller;
    const payload = Buffer.from(JSON.stringify({ org_id, user_id, roles, exp })).toString('base64url');
    return `${payload}.${sign(null, Buffer.from(payload), key).toString('base64url')}`;
  };

/** Opens what the gateway sealed; undefined when it was somebody else, or the time of it is over. */
export type CallerVerifier = (sealed: string) => Identity | undefined;

/** Each sealed caller is verified once. Several keys: while they are exchanged, both are good. */
export const createCallerVerifier = (keys: readonly KeyObject[]): CallerVerifier => {
  const known = new LRUCache<string, { identity: Identity; until: number }>({ max: MOST_KNOWN });

  const verified = (sealed: string): { identity: Identity; until: number } | undefined => {
    const [payload = '', signature = ''] = sealed.split('.');
    const isGood = keys.some((key) => verify(null, Buffer.from(payload), key, Buffer.from(signature, 'base64url')));
    if (!isGood) return undefined;
    const caller = SealedCaller.safeParse(readJson(Buffer.from(payload, 'base64url')));
    if (!caller.success) return undefined;
    const { exp, ...identity } = caller.data;
    return { identity, until: (exp + TOLERANCE_S) * 1_000 };
  };

  const remembered = (sealed: string): { identity: Identity; until: number } | undefined => {
    const found = verified(sealed);
    if (found !== undefined) known.set(sealed, found);
    return found;
  };

  return (sealed) => {
    const found = known.get(sealed) ?? remembered(sealed);
    return found !== undefined && found.until > Date.now() ? found.identity : undefined;
  };
};

/** The head of a call, with the person for whom it is made. */
export interface IdentifiedHead extends CallHead, Identity {}

/**
 * The person for whom a call is made, as the gateway signed it. Calls of `anyone` have no person until a secret in the request
 * names one; calls across all orgs are made by services for themselves. Undefined when nothing proves the identity.
 */
export const identityOf = (
  call: AnyCall,
  { caller }: CallHead,
  from: string,
  open: CallerVerifier,
): Identity | undefined => {
  if (call.roles === 'anyone') return { org_id: SYSTEM_ORG_ID, user_id: '', roles: [] };
  if (call.scope === 'all orgs') return { org_id: SYSTEM_ORG_ID, user_id: from, roles: [] };
  // The head is not validated: any sender may write any value.
  return typeof caller === 'string' ? open(caller) : undefined;
};
