import { Problem } from '@teaching/contracts';
import { createCallerSigner, derivedValue } from '@teaching/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, missingToken, Unauthenticated } from '../auth/authenticate.ts';
import { admitRequest } from '../http/admission.ts';
import type { GatewayLimits } from '../limits/gateway-limits.ts';
import { storeSession, type LoginDeps } from './login-routes.ts';
import { ProviderRefusal } from './provider.ts';
import { isSameLogin, Renewal, createTokenRenewer } from './renewals.ts';
import type { SessionDeps, Sessions } from './sessions.ts';
import { identityOf, Session, sessionOf } from './identity.ts';

export interface SessionRouteDeps extends LoginDeps {
  sessions: Sessions;
  sealKey: SessionDeps['sealKey'];
  limits: Pick<GatewayLimits, 'user' | 'org'>;
}

const BODY = 1_024;

const sessionBody = ({ sub, org_id, roles, exp }: Session) => ({
  user_id: sub,
  org_id,
  roles,
  expires_at: new Date(exp * 1_000).toISOString(),
});

/** Registers `/auth/session`, `/auth/refresh` and `/auth/logout`, which the console uses. */
export const registerSession = (app: FastifyInstance, deps: SessionRouteDeps): void => {
  const { settings, cookies, sealer, provider, guard, sessions, limits } = deps;
  const seals = derivedValue(deps.sealKey, createCallerSigner);
  const renew = createTokenRenewer(provider);

  /** The session of the browser. It may have expired: its cookie is kept as long as its renewal. */
  const readSession = async (request: FastifyRequest): Promise<Session | undefined> => {
    const text = cookies.read(request, 'session');
    return text === undefined ? undefined : Session.safeParse(await sealer.open('session', text)).data;
  };

  /**
   * The renewal of this session. A renewal of another login is ignored, because another host may have planted its
   * cookie.
   */
  const readRenewal = async (request: FastifyRequest, session: Session | undefined): Promise<Renewal | undefined> => {
    const text = cookies.read(request, 'renewal');
    if (session === undefined || text === undefined) return undefined;
    const renewal = Renewal.safeParse(await sealer.open('renewal', text)).data;
    return renewal !== undefined && isSameLogin(renewal, session) ? renewal : undefined;
  };

  const clearCookies = (request: FastifyRequest, reply: FastifyReply): void => {
    for (const kind of ['session', 'renewal'] as const) cookies.clear(request, reply, kind);
  };

  app.get('/auth/session', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    await guard.identify(request, reply);
    const session = sessions.of(request);
    if (request.headers.authorization !== undefined || session === undefined) throw missingToken();
    return sessionBody(session);
  });

  /**
   * The renewal of this browser's session. Throws 401 for a renewal of another login, and does not change the session
   * then.
   */
  const requireRenewal = async (request: FastifyRequest, reply: FastifyReply): Promise<Renewal> => {
    const session = await readSession(request);
    if (session === undefined) clearCookies(request, reply);
    if (cookies.read(request, 'renewal') === undefined) throw missingToken();
    const renewal = await readRenewal(request, session);
    if (renewal !== undefined) return renewal;
    await guard.countFailure(request, reply, 'bad_token');
    throw new Unauthenticated('bad_token', 'The renewal cookie is not valid for this session: log in again');
  };

  /** Throws 401 or 429; a renewal counts as a request of its person. */
  const admitRenewal = async (request: FastifyRequest, reply: FastifyReply, renewal: Renewal): Promise<void> => {
    request.identity = callerOf(renewal, seals(), () => true);
    guard.checkRevocation(request, reply);
    const { account, org_id } = request.identity;
    const counted = [
      { limit: limits.user, key: account },
      { limit: limits.org, key: org_id },
    ];
    await admitRequest(counted, 1, reply);
  };

  /** The renewed session, with the `iat` of the login. */
  const renewed = async (request: FastifyRequest, reply: FastifyReply, renewal: Renewal): Promise<Session> => {
    const { refresh_token } = renewal;
    if (refresh_token === undefined) throw new Unauthenticated('expired_token', 'The session cannot be renewed');
    const tokens = await renew(refresh_token);
    // The provider may omit the claims.
    const identity = tokens.claims === undefined ? renewal : identityOf(tokens.claims, settings);
    if (typeof identity === 'string' || identity.sub !== renewal.sub || identity.org_id !== renewal.org_id)
      throw new Unauthenticated('expired_token', 'The provider returned another person: log in again');
    const session = sessionOf(identity, renewal.iat, tokens.exp);
    if (session.exp * 1_000 <= Date.now()) throw new Unauthenticated('expired_token', 'The session is too old');
    const kept_tokens = {
      refresh_token: tokens.refresh_token ?? refresh_token,
      id_token: tokens.id_token ?? renewal.id_token,
    };
    await storeSession(deps, request, reply, session, { ...tokens, ...kept_tokens });
    return session;
  };

  const refusalOf = (error: unknown): unknown => {
    if (!(error instanceof ProviderRefusal)) return error;
    return error.refusalKind === 'unavailable'
      ? new Problem('unavailable', 'The login provider does not answer')
      : new Unauthenticated('expired_token', 'The provider ended the session: log in again');
  };

  const ownPage = {
    onRequest: [guard.limitPublicRequests, async (request: FastifyRequest) => sessions.requireOwnOrigin(request)],
  };

  /** Renews the session of this browser, or deletes it when the renewal is refused. */
  const refresh = async (request: FastifyRequest, reply: FastifyReply): Promise<Session> => {
    const renewal = await requireRenewal(request, reply);
    try {
      await admitRenewal(request, reply, renewal);
      return await renewed(request, reply, renewal);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal instanceof Unauthenticated) clearCookies(request, reply);
      throw refusal;
    }
  };

  app.post('/auth/refresh', { ...ownPage, bodyLimit: BODY }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    try {
      return sessionBody(await refresh(request, reply));
    } catch (error) {
      if (error instanceof Unauthenticated) request.refusal ||= error.reason;
      throw error;
    }
  });

  app.post('/auth/logout', { ...ownPage, bodyLimit: BODY }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    clearCookies(request, reply);
    const renewal = await readRenewal(request, await readSession(request));
    // The session has ended here even if the provider cannot be reached.
    const go_to = renewal === undefined ? '/' : await provider.endSession(renewal).catch(() => '/');
    return { go_to };
  });
};
