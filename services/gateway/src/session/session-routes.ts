import { Problem } from '@teaching/contracts';
import { callerSealer, derived } from '@teaching/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, noToken, Unauthenticated } from '../auth/authenticate.ts';
import { admit } from '../http/admission.ts';
import type { GatewayLimits } from '../limits/gateway-limits.ts';
import { keepSession, type LoginDeps } from './login-routes.ts';
import { ProviderRefusal } from './provider-refusal.ts';
import { Renewal, renewOnce } from './renewals.ts';
import type { SessionDeps, Sessions } from './sessions.ts';
import { type Session, sessionOf, whoOf } from './who.ts';

export interface SessionRouteDeps extends LoginDeps {
  sessions: Sessions;
  sealKey: SessionDeps['sealKey'];
  limits: Pick<GatewayLimits, 'user' | 'org'>;
}

const BODY = 1_024;

const told = ({ sub, org_id, roles, exp }: Session) => ({
  user_id: sub,
  org_id,
  roles,
  expires_at: new Date(exp * 1_000).toISOString(),
});

/** `/auth/session`, `/auth/refresh` and `/auth/logout`: what the console asks of the session it is in. */
export const registerSession = (app: FastifyInstance, deps: SessionRouteDeps): void => {
  const { settings, cookies, sealer, provider, guard, sessions, limits } = deps;
  const seals = derived(deps.sealKey, callerSealer);
  const renew = renewOnce(provider);

  const renewalOf = async (request: FastifyRequest): Promise<Renewal | undefined> => {
    const text = cookies.read(request, 'renewal');
    return text === undefined ? undefined : Renewal.safeParse(await sealer.open('renewal', text)).data;
  };

  const forget = (request: FastifyRequest, reply: FastifyReply): void => {
    for (const kind of ['session', 'renewal'] as const) cookies.clear(request, reply, kind);
  };

  app.get('/auth/session', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    await guard.identify(request, reply);
    const session = sessions.of(request);
    if (request.headers.authorization !== undefined || session === undefined) throw noToken();
    return told(session);
  });

  /** Who may go on, which counts as a request of theirs. */
  const admitRenewal = async (request: FastifyRequest, reply: FastifyReply): Promise<Renewal> => {
    if (cookies.read(request, 'renewal') === undefined) throw noToken();
    const renewal = await renewalOf(request);
    if (renewal === undefined) {
      await guard.fail(request, reply, 'bad_token');
      throw new Unauthenticated('bad_token', 'The cookie is not valid');
    }
    request.identity = callerOf(renewal, seals());
    guard.checkAgain(request, reply);
    const { account, org_id } = request.identity;
    const counted = [
      { limit: limits.user, key: account },
      { limit: limits.org, key: org_id },
    ];
    await admit(counted, 1, reply);
    return renewal;
  };

  /** The session as the provider lets it go on, since the same login. */
  const renewed = async (request: FastifyRequest, reply: FastifyReply, renewal: Renewal): Promise<Session> => {
    const { refresh_token } = renewal;
    if (refresh_token === undefined) throw new Unauthenticated('expired_token', 'The session cannot be renewed');
    const tokens = await renew(refresh_token);
    // The provider need not say again who it is.
    const who = tokens.claims === undefined ? renewal : whoOf(tokens.claims, settings);
    if (typeof who === 'string' || who.sub !== renewal.sub || who.org_id !== renewal.org_id)
      throw new Unauthenticated('expired_token', 'The provider says somebody else: log in again');
    const session = sessionOf(who, renewal.iat, tokens.exp);
    if (session.exp * 1_000 <= Date.now()) throw new Unauthenticated('expired_token', 'The session is too old');
    const kept = {
      refresh_token: tokens.refresh_token ?? refresh_token,
      id_token: tokens.id_token ?? renewal.id_token,
    };
    await keepSession(deps, request, reply, session, { ...tokens, ...kept });
    return session;
  };

  const refusalOf = (error: unknown): unknown => {
    if (!(error instanceof ProviderRefusal)) return error;
    return error.sort === 'unavailable'
      ? new Problem('unavailable', 'The login provider does not answer')
      : new Unauthenticated('expired_token', 'The provider ended the session: log in again');
  };

  const ownPage = { onRequest: [guard.pace, async (request: FastifyRequest) => sessions.requireOwnOrigin(request)] };

  app.post('/auth/refresh', { ...ownPage, bodyLimit: BODY }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    try {
      return told(await renewed(request, reply, await admitRenewal(request, reply)));
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal instanceof Unauthenticated) {
        request.refusal ||= refusal.reason;
        forget(request, reply);
      }
      throw refusal;
    }
  });

  app.post('/auth/logout', { ...ownPage, bodyLimit: BODY }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    forget(request, reply);
    const renewal = await renewalOf(request);
    // Here it is over whether the provider hears of it or not.
    const go_to = renewal === undefined ? '/' : await provider.end(renewal).catch(() => '/');
    return { go_to };
  });
};
