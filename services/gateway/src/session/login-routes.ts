import { Problem } from '@teaching/contracts';
import type { Logger } from '@teaching/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import { z } from 'zod';
import { Unauthenticated } from '../auth/authenticate.ts';
import type { Revocations } from '../auth/revocations.ts';
import type { RequestGuard } from '../http/request-guard.ts';
import type { Cookies, CookieSealer } from './cookies.ts';
import { identityOf, type Session, sessionOf, type ClaimProblem } from './identity.ts';
import type { LoginSettings } from './login-config.ts';
import { CALLBACK_PATH, type LoginChecks, type Provider, ProviderRefusal, type Tokens } from './provider.ts';
import { cookieLifetime, sealRenewal } from './renewals.ts';

const HOME = '/';
/**
 * Longest return path, in encoded characters: the cookie of a login contains the path, and every request sends that
 * cookie during a login.
 */
export const LONGEST_RETURN_PATH = 1_000;
const HERE = 'http://here.invalid';
/** Paths that a login never returns to. */
const NO_PAGE = /^\/(auth|api)(\/|$)/;

/**
 * The path to open after the login: the requested path if it is on this origin, else the first page. It is parsed as
 * browsers do, which treat a backslash as a slash and ignore line breaks.
 */
export const returnPathOf = (given: unknown): string => {
  if (typeof given !== 'string' || !/^\/(?![/\\])/.test(given)) return HOME;
  const url = URL.parse(given, HERE);
  if (url === null || url.origin !== HERE) return HOME;
  const path = `${url.pathname}${url.search}${url.hash}`;
  // `/.//host` becomes `//host` when it is normalized.
  return path.length > LONGEST_RETURN_PATH || path.startsWith('//') || NO_PAGE.test(url.pathname) ? HOME : path;
};

/** Seconds within which a person must log in at the provider. */
const LOGIN_S = 600;
const Attempt = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  return_to: z.string(),
  exp: z.number(),
});
const Query = z.object({
  state: z.string().optional(),
  return_to: z.unknown().optional(),
  named: z.unknown().optional(),
});

/** The reason in `/login?problem=`; the console has a text for each. */
type LoginProblem = 'denied' | 'expired' | 'inactive' | 'unavailable' | ClaimProblem;

class LoginFailure extends Error {
  readonly problem: LoginProblem;

  constructor(problem: LoginProblem, why: string, options?: ErrorOptions) {
    super(why, options);
    this.problem = problem;
  }
}

export interface LoginDeps {
  settings: LoginSettings;
  cookies: Cookies;
  sealer: CookieSealer;
  provider: Provider;
  revocations: Revocations;
  guard: RequestGuard;
  log: Logger;
}

const now_s = (): number => Date.now() / 1_000;

const failureOf = (error: unknown): LoginFailure => {
  if (error instanceof LoginFailure) return error;
  const why = error instanceof Error ? error.message : String(error);
  if (error instanceof ProviderRefusal)
    return new LoginFailure(error.refusalKind === 'refused' ? 'failed' : error.refusalKind, why, { cause: error });
  if (error instanceof Unauthenticated)
    return new LoginFailure(error.reason === 'inactive' ? 'inactive' : 'failed', error.reason, { cause: error });
  if (error instanceof Problem && error.code === 'unavailable')
    return new LoginFailure('unavailable', why, { cause: error });
  throw error;
};

/** Stores the session and its renewal in the browser. */
export const storeSession = async (
  { cookies, sealer }: Pick<LoginDeps, 'cookies' | 'sealer'>,
  request: FastifyRequest,
  reply: FastifyReply,
  session: Session,
  tokens: Tokens,
): Promise<void> => {
  const lasts_s = cookieLifetime(session, tokens.refresh_token);
  cookies.write(request, reply, 'session', await sealer.seal('session', session), lasts_s);
  cookies.write(request, reply, 'renewal', await sealRenewal(sealer, session, tokens), lasts_s);
};

/** Registers `/auth/login` and `/auth/callback`. Both always redirect the browser, also after a failure. */
export const registerLogin = (app: FastifyInstance, deps: LoginDeps): void => {
  const { settings, cookies, sealer, provider, revocations, guard, log } = deps;

  /** Logs the failure and returns the page that shows it. */
  const failurePage = (request: FastifyRequest, { problem, message }: LoginFailure): string => {
    log.info({ request_id: request.id, address: request.ip, problem, why: message }, 'login failed');
    return `/login?problem=${problem}`;
  };

  /**
   * The login path at `CONSOLE_URL` when the browser opened the console under another host name, such as `localhost`:
   * cookies belong to a host name. Redirects only once, because a proxy may send another `Host`.
   */
  const ownLogin = (request: FastifyRequest): string | undefined => {
    const { return_to, named } = Query.safeParse(request.query).data ?? {};
    if (named !== undefined || request.host === new URL(settings.origin).host) return undefined;
    return `${settings.origin}/auth/login?${new URLSearchParams({ return_to: returnPathOf(return_to), named: 'yes' }).toString()}`;
  };

  const begin = async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const checks: LoginChecks = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const return_to = returnPathOf(Query.safeParse(request.query).data?.return_to);
    const address = await provider.startLogin(checks);
    const attempt = await sealer.seal('login', { ...checks, return_to, exp: now_s() + LOGIN_S });
    cookies.write(request, reply, 'login', attempt, LOGIN_S);
    return address;
  };

  app.get('/auth/login', { onRequest: guard.limitPublicRequests }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const otherHost = ownLogin(request);
    if (otherHost !== undefined) return reply.redirect(otherHost);
    const address = await begin(request, reply).catch((error: unknown) => failurePage(request, failureOf(error)));
    return reply.redirect(address);
  });

  /** The login that this browser started; throws when its state does not match the callback. */
  const attemptOf = async (request: FastifyRequest): Promise<z.output<typeof Attempt>> => {
    const text = cookies.read(request, 'login');
    const attempt = Attempt.safeParse(text === undefined ? undefined : await sealer.open('login', text));
    const { state } = Query.safeParse(request.query).data ?? {};
    if (!attempt.success || attempt.data.state !== state || attempt.data.exp <= now_s())
      throw new LoginFailure('expired', 'this browser did not start the login, or started it too long ago');
    return attempt.data;
  };

  const logIn = async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const { return_to, ...checks } = await attemptOf(request);
    const tokens = await provider.finishLogin(new URL(request.url, settings.origin).search, checks);
    const who = identityOf(tokens.claims, settings);
    if (typeof who === 'string') throw new LoginFailure(who, 'a claim is missing or malformed');
    const session = sessionOf(who, now_s(), tokens.exp);
    revocations.check({ org_id: session.org_id, user_id: session.sub, issued_ms: session.iat * 1_000 });
    await storeSession(deps, request, reply, session, tokens);
    return return_to;
  };

  app.get(CALLBACK_PATH, { onRequest: guard.limitPublicRequests }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    cookies.clear(request, reply, 'login');
    const address = await logIn(request, reply).catch(async (error: unknown) => {
      const failure = failureOf(error);
      if (failure.problem === 'expired' || failure.problem === 'failed')
        await guard.countFailure(request, reply, 'bad_login');
      return failurePage(request, failure);
    });
    return reply.redirect(address);
  });
};
