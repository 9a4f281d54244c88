import type { Socket } from 'node:net';
import fastifyJwt from '@fastify/jwt';
import { ALL_ROLES, ID, PersonIdInput, Problem, TOKEN_DAYS } from '@teaching/contracts';
import { type CallerSigner, createCallerSigner, derivedValue, type Identity } from '@teaching/kit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { GatewayConfig } from '../config.ts';
import type { PublicKey } from './public-keys.ts';
import type { Keys } from './key-store.ts';

/** The caller that the verified token names. */
export interface Caller extends Identity {
  /** The identity signed by the gateway, as services require it. */
  signedCaller: string;
  /** When the token was issued, in epoch milliseconds. */
  issued_ms: number;
  /** Organization and person: the key under which requests are counted. */
  account: string;
  /** False when the credentials have expired or would have to be verified again. */
  isCurrent: () => boolean;
}

/**
 * Why a caller is refused. Only `bad_token` is an attempt to guess: the other tokens were valid once or are missing.
 */
export type AuthFailure = 'no_token' | 'bad_token' | 'expired_token' | 'inactive' | 'signed_out';

/** A 401 problem with the reason for logs and metrics. */
export class Unauthenticated extends Problem {
  readonly reason: AuthFailure;

  constructor(reason: AuthFailure, detail: string) {
    super('unauthenticated', detail);
    this.reason = reason;
  }
}

/** The claims that identify a person, in a token or from a login. Unknown roles grant nothing. */
export const IDENTITY_CLAIMS = {
  sub: PersonIdInput,
  org_id: ID,
  roles: z.array(z.string()).transform((roles) => ALL_ROLES.filter((role) => roles.includes(role))),
};

/** The claims of a token or a session; times in epoch seconds. */
export const Claims = z.object({ ...IDENTITY_CLAIMS, iat: z.number(), exp: z.number() });
export type Claims = z.output<typeof Claims>;

/** The header of an unverified token: used only to choose the key or to refuse the token. */
const Decoded = z.object({
  header: z.object({
    alg: z.string(),
    kid: z.string().max(1_000).optional(),
    // A token of another type is refused (RFC 8725 §3.11, RFC 9068 §4).
    typ: z
      .string()
      .regex(/^(application\/)?(at\+)?jwt$/i)
      .optional(),
  }),
});

const DAY_S = 86_400;

/** The end of a token or session in epoch seconds: `exp`, but at most `TOKEN_DAYS` after `iat`. */
export const expiryOf = ({ iat, exp }: Pick<Claims, 'iat' | 'exp'>): number => Math.min(exp, iat + TOKEN_DAYS * DAY_S);

/**
 * The caller that these claims identify, with the signed form for services. `isAccepted` returns whether the key or
 * secret of the credentials is still in use.
 */
export const callerOf = (
  { sub, org_id, roles, iat, exp }: Claims,
  seal: CallerSigner,
  isAccepted: () => boolean,
): Caller => {
  const identity = { user_id: sub, org_id, roles };
  return {
    ...identity,
    signedCaller: seal({ ...identity, exp }),
    issued_ms: iat * 1_000,
    account: `${org_id} ${sub}`,
    isCurrent: () => Date.now() < exp * 1_000 && isAccepted(),
  };
};

const MAX_TOKENS = 20_000;
/** Characters of all cached tokens together. */
const MAX_CACHED_CHARACTERS = 32_000_000;
const MAX_TOKEN_LENGTH = 8_192;
const EXPIRED = 'FST_JWT_AUTHORIZATION_TOKEN_EXPIRED';
const BEARER = /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i;

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** The 401 for a request without credentials. */
export const missingToken = (): Unauthenticated =>
  new Unauthenticated('no_token', 'Send Authorization: Bearer <token>');

const bearerToken = (header: string): string => {
  const token = BEARER.exec(header)?.[1];
  if (token === undefined || token.length > MAX_TOKEN_LENGTH)
    throw new Unauthenticated('bad_token', 'Send Authorization: Bearer <token>');
  return token;
};

const refusalOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  return codeOf(error) === EXPIRED
    ? new Unauthenticated('expired_token', 'The token has expired')
    : new Unauthenticated('bad_token', 'The token is not valid');
};

interface Known {
  identity: Caller;
  /** The signer of the caller. With a new key the caller is signed again. */
  seal: CallerSigner;
}

/** Resolves when a token that is not cached may be verified; to false when the client has disconnected. */
export type VerificationGate = (request: FastifyRequest) => Promise<boolean>;

export type Authenticate = (request: FastifyRequest, mayVerify: VerificationGate) => Caller | Promise<Caller>;

export interface Authentication {
  authenticate: Authenticate;
  /** Forgets the token of a connection on which no further request arrives. */
  forget: (socket: Socket) => void;
  /** The number of cached tokens. */
  remembered: () => number;
}

const refuseAll: Authenticate = () => {
  throw missingToken();
};

/**
 * Verifies bearer tokens: one asymmetric algorithm, a published key, issuer, audience, and times with the configured
 * leeway. A valid token is cached until it expires or its key is no longer published, so each is verified once. No
 * token is valid for longer than `TOKEN_DAYS` and the leeway, nor before it was issued, but for the leeway: a sign-out
 * compares `iat` and can be dropped after that time. `bySession` may identify a request without `Authorization`.
 */
export const registerAuthentication = async (
  app: FastifyInstance,
  config: GatewayConfig,
  keys: Keys,
  bySession: Authenticate = refuseAll,
): Promise<Authentication> => {
  const leeway_s = config.JWT_LEEWAY_SECONDS;
  /** The key chosen for each request whose token is being verified. */
  const chosen = new WeakMap<FastifyRequest, PublicKey>();

  const keyFor = async (request: FastifyRequest, token: unknown): Promise<string> => {
    const { header } = Decoded.parse(token);
    // Look up no key for a token that is refused anyway.
    const key = header.alg === config.JWT_ALGORITHM ? await keys.find(header.kid) : undefined;
    if (key === undefined) throw new Unauthenticated('bad_token', 'The token is not valid');
    chosen.set(request, key);
    return key.pem;
  };
  await app.register(fastifyJwt, {
    secret: keyFor,
    decode: { complete: true },
    verify: {
      algorithms: [config.JWT_ALGORITHM],
      allowedIss: config.JWT_ISSUER,
      allowedAud: config.JWT_AUDIENCE,
      requiredClaims: ['sub', 'org_id', 'roles', 'iat', 'exp', 'iss', 'aud'],
      clockTolerance: leeway_s * 1_000,
    },
  });
  const sealer = derivedValue(config.CALLER_SEAL_KEY, createCallerSigner);
  const known = new LRUCache<string, Known>({
    max: MAX_TOKENS,
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (_known, token) => token.length,
  });

  /**
   * Most connections send the same token again. Then only the text is compared; the token is not parsed or looked up.
   */
  const latest = new WeakMap<Socket, { authorization: string; known: Known }>();
  const isGood = ({ identity, seal }: Known): boolean => seal === sealer() && identity.isCurrent();

  const verify = async (request: FastifyRequest, token: string, mayVerify: VerificationGate): Promise<Caller> => {
    if (!(await mayVerify(request))) throw new Unauthenticated('no_token', 'The client has disconnected');
    const verified: unknown = await request.jwtVerify().catch((error: unknown) => {
      throw refusalOf(error);
    });
    const claims = Claims.safeParse(verified);
    const key = chosen.get(request);
    if (!claims.success || key === undefined)
      throw new Unauthenticated('bad_token', 'The token lacks valid sub, org_id or roles claims');
    const { iat } = claims.data;
    const now_s = Date.now() / 1_000;
    if (iat > now_s + leeway_s) throw new Unauthenticated('bad_token', 'The token was issued in the future');
    // Services and the cache know nothing of the leeway.
    const exp = expiryOf(claims.data) + leeway_s;
    if (exp < now_s) throw new Unauthenticated('expired_token', `The token is older than ${TOKEN_DAYS} days`);
    const seal = sealer();
    const caller = callerOf({ ...claims.data, exp }, seal, () => keys.isCurrent(key));
    known.set(token, { identity: caller, seal });
    return caller;
  };

  const authenticate: Authenticate = (request, mayVerify) => {
    const { authorization } = request.headers;
    const before = latest.get(request.raw.socket);
    if (before !== undefined && before.authorization === authorization && isGood(before.known))
      return before.known.identity;
    if (authorization === undefined) return bySession(request, mayVerify);
    const token = bearerToken(authorization);
    const hit = known.get(token);
    if (hit === undefined || !isGood(hit)) return verify(request, token, mayVerify);
    latest.set(request.raw.socket, { authorization, known: hit });
    return hit.identity;
  };
  return { authenticate, forget: (socket) => latest.delete(socket), remembered: () => known.size };
};
