import fastifyJwt from '@fastify/jwt';
import { ALL_ROLES, ID, PersonId, Problem } from '@teaching/contracts';
import { callerSealer, type Identity } from '@teaching/kit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { GatewayConfig } from '../config.ts';
import type { Keys } from './keys.ts';

/** Who calls, as the verified token says. */
export interface Caller extends Identity {
  /** The same for services, which believe nobody but the gateway. */
  sealed: string;
}

/** The claims everything rests on. Roles that this service does not know grant nothing. */
const Claims = z.object({
  sub: PersonId,
  org_id: ID,
  roles: z.array(z.string()).transform((roles) => ALL_ROLES.filter((role) => roles.includes(role))),
  exp: z.number(),
});

/** A decoded but not yet verified token: only good for finding the key. */
const Decoded = z.object({ header: z.object({ kid: z.string().optional() }) });

const MAX_TOKENS = 20_000;
const MAX_TOKEN_LENGTH = 8_192;

const unauthenticated = (detail: string): Problem => new Problem('unauthenticated', detail);

const bearer = (request: FastifyRequest): string => {
  const [, token] = /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token === undefined || token.length > MAX_TOKEN_LENGTH)
    throw unauthenticated('Send Authorization: Bearer <token>');
  return token;
};

/**
 * Verifies bearer tokens: one asymmetric algorithm, issuer, audience, expiry. A token that was good is
 * remembered until it expires, so each is verified once.
 */
export const registerAuthentication = async (
  app: FastifyInstance,
  config: GatewayConfig,
  keys: Keys,
): Promise<(request: FastifyRequest) => Caller | Promise<Caller>> => {
  await app.register(fastifyJwt, {
    secret: (_request: FastifyRequest, token: unknown) => keys.find(Decoded.parse(token).header.kid),
    decode: { complete: true },
    verify: {
      algorithms: [config.JWT_ALGORITHM],
      allowedIss: config.JWT_ISSUER,
      allowedAud: config.JWT_AUDIENCE,
      requiredClaims: ['sub', 'org_id', 'roles', 'exp', 'iss', 'aud'],
      clockTolerance: 5_000,
    },
  });
  const seal = callerSealer(config.CALLER_SEAL_KEY);
  const known = new LRUCache<string, { identity: Caller; until: number }>({ max: MAX_TOKENS });

  const verify = async (request: FastifyRequest, token: string): Promise<Caller> => {
    const verified: unknown = await request.jwtVerify().catch((error: unknown) => {
      throw error instanceof Problem ? error : unauthenticated('The token is not valid');
    });
    const claims = Claims.safeParse(verified);
    if (!claims.success) throw unauthenticated('The token lacks valid sub, org_id or roles claims');
    const { sub, org_id, roles, exp } = claims.data;
    const identity = { user_id: sub, org_id, roles };
    const caller = { ...identity, sealed: seal({ ...identity, exp }) };
    known.set(token, { identity: caller, until: exp * 1000 });
    return caller;
  };

  return (request) => {
    const token = bearer(request);
    const hit = known.get(token);
    return hit !== undefined && hit.until > Date.now() ? hit.identity : verify(request, token);
  };
};
