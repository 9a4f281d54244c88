import { fastifyCookie } from '@fastify/cookie';
import type { Logger } from '@teaching/kit';
import type { FastifyInstance } from 'fastify';
import type { Authenticate } from '../auth/authenticate.ts';
import type { GatewayConfig } from '../config.ts';
import { createCookies, createCookieSealer } from './cookies.ts';
import { registerLogin } from './login-routes.ts';
import { CALLBACK_PATH, createProvider } from './provider.ts';
import { registerSession, type SessionRouteDeps } from './session-routes.ts';
import { createSessions } from './sessions.ts';
import { loginSettings } from './login-config.ts';

export const AUTH_ROUTES = [
  ...['/auth/login', CALLBACK_PATH, '/auth/session'].map((path) => ({ method: 'GET', path })),
  ...['/auth/refresh', '/auth/logout'].map((path) => ({ method: 'POST', path })),
];

export interface Login {
  /** Identifies a caller by the session cookie. */
  authenticate: Authenticate;
  /** Adds the routes under `/auth`. */
  register(app: FastifyInstance, deps: Pick<SessionRouteDeps, 'revocations' | 'guard' | 'limits'>): Promise<void>;
}

/**
 * The login of the console; undefined when none is configured. The provider is not contacted before the first login.
 */
export const prepareLogin = (config: GatewayConfig, log: Logger): Login | undefined => {
  const settings = loginSettings(config);
  if (settings === undefined) return undefined;
  const cookies = createCookies(settings.origin.startsWith('https:'));
  const sealer = createCookieSealer(settings.cookie_secrets);
  const sealKey = config.CALLER_SEAL_KEY;
  const sessions = createSessions({ cookies, sealer, sealKey, origin: settings.origin });
  const provider = createProvider(settings, log);
  return {
    authenticate: sessions.authenticate,
    register: async (app, deps) => {
      const all = { ...deps, settings, cookies, sealer, sealKey, sessions, provider, log };
      await app.register(async (auth) => {
        // Only these routes set cookies; other requests need no cookie hook.
        await auth.register(fastifyCookie, { hook: false });
        registerLogin(auth, all);
        registerSession(auth, all);
      });
    },
  };
};
