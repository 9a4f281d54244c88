import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Configuration, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { SCHOOL_NAME } from '../../school/people.ts';
import type { loginKeysIn } from './login-keys.ts';
import { choosePage, errorPage, STYLE } from './login-page.ts';
import { choices, knownPerson } from './login-people.ts';
import { createLoginStore } from './login-store.ts';

const [HOUR_S, DAYS_S] = [3_600, 14 * 86_400];
/** A choice is one short field. */
const MAX_BYTES = 1_000;
const INTERACTION = /^\/interaction\/[\w-]+$/;

type Context = Parameters<Parameters<Provider['use']>[0]>[0];

export interface LoginOptions {
  /** Its address for browsers and the gateway, without a slash at the end. */
  issuer: string;
  host: string;
  port: number;
  /** The console, the only one that people log in for; its origin is where they are sent back to. */
  client: { id: string; secret: string; console_url: string };
  /** The organization of the people who log in. */
  org_id: string;
  keys: ReturnType<typeof loginKeysIn>;
}

/** No script, nothing from elsewhere; the form leads back to the console by way of this provider. */
const policyFor = (console_url: string): string =>
  `default-src 'none'; style-src 'self'; img-src data:; form-action 'self' ${console_url}; base-uri 'none'; frame-ancestors 'none'`;

const show = (
  ctx: Pick<KoaContextWithOIDC, 'set' | 'status' | 'type' | 'body'>,
  html: string,
  console_url: string,
): void => {
  ctx.set('content-security-policy', policyFor(console_url));
  ctx.set('cache-control', 'no-store');
  ctx.set('referrer-policy', 'no-referrer');
  ctx.set('x-content-type-options', 'nosniff');
  ctx.type = 'html';
  ctx.body = html;
};

const account = (org_id: string) => async (_ctx: unknown, sub: string) => {
  const person = knownPerson(sub);
  if (person === undefined) return undefined;
  const claims = { sub, org_id, roles: [person.role], name: person.display_name };
  return { accountId: sub, claims: async () => claims };
};

/** Consent is not requested: the person just chose the console. */
const grant: Configuration['loadExistingGrant'] = async ({ oidc }) => {
  const { client, session, provider } = oidc;
  if (client === undefined || session?.accountId === undefined) return undefined;
  const known = session.grantIdFor(client.clientId);
  if (known !== undefined) return provider.Grant.find(known);
  const made = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  made.addOIDCScope('openid offline_access');
  await made.save();
  return made;
};

/** A log-out is not confirmed either: the session ends, and the browser returns to the console. */
const logOut = (console_url: string) => async (ctx: KoaContextWithOIDC) => {
  const { session, params } = ctx.oidc;
  await session?.destroy();
  const back =
    typeof params?.['post_logout_redirect_uri'] === 'string' ? params['post_logout_redirect_uri'] : undefined;
  const address = new URL(back ?? console_url);
  if (back !== undefined && typeof params?.['state'] === 'string') address.searchParams.set('state', params['state']);
  ctx.status = 303;
  ctx.redirect(address.href);
};

const configuration = ({ client, org_id, keys }: LoginOptions): Omit<Configuration, 'adapter'> => ({
  clients: [
    {
      client_id: client.id,
      client_secret: client.secret,
      redirect_uris: [`${client.console_url}/auth/callback`],
      post_logout_redirect_uris: [`${client.console_url}/`, client.console_url],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
    },
  ],
  jwks: { keys: [keys.jwk] },
  enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
  cookies: {
    keys: [keys.cookie],
    names: { session: 'login_session', interaction: 'login_interaction', resume: 'login_resume' },
  },
  scopes: ['openid', 'offline_access'],
  claims: { openid: ['sub', 'org_id', 'roles', 'name'] },
  conformIdTokenClaims: false,
  findAccount: account(org_id),
  loadExistingGrant: grant,
  issueRefreshToken: async () => true,
  interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  pkce: { required: () => true },
  ttl: {
    AccessToken: HOUR_S,
    IdToken: HOUR_S,
    AuthorizationCode: 60,
    Interaction: HOUR_S,
    RefreshToken: DAYS_S,
    Session: DAYS_S,
    Grant: DAYS_S,
  },
  features: {
    devInteractions: { enabled: false },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: logOut(client.console_url),
      postLogoutSuccessSource: async (ctx) => ctx.redirect(`${client.console_url}/`),
    },
  },
  renderError: async (ctx, { error_description, error }) =>
    show(ctx, errorPage(error_description ?? error, client.console_url), client.console_url),
});

/** The page where people choose a person, and its handling. */
const interact = async (provider: Provider, ctx: Context, console_url: string): Promise<void> => {
  await provider.interactionDetails(ctx.req, ctx.res);
  if (ctx.method === 'POST' && (ctx.request.length ?? MAX_BYTES) < MAX_BYTES) {
    const accountId = new URLSearchParams(await text(ctx.req)).get('user_id') ?? '';
    if (knownPerson(accountId) !== undefined) {
      ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, { login: { accountId } }));
      ctx.status = 303;
      return;
    }
    ctx.status = 400;
  }
  const today = new Date().toISOString().slice(0, 10);
  show(ctx, choosePage(SCHOOL_NAME, ctx.path, choices(today)), console_url);
};

/**
 * An OpenID provider where people log in as a person of the demo school, without a password: code with PKCE, refresh tokens, and a
 * log-out at its end-session address. Resolves when it listens, with how to stop it.
 */
export const startLoginProvider = async (options: LoginOptions): Promise<() => Promise<void>> => {
  const { issuer, host, port } = options;
  const { console_url } = options.client;
  const store = createLoginStore();
  const provider = new Provider(issuer, {
    ...configuration(options),
    adapter: (kind: string) => store.adapterFor(kind),
  });
  provider.use(async (ctx, next) => {
    if (ctx.path === '/login.css') {
      ctx.set('cache-control', 'max-age=3600');
      ctx.type = 'css';
      ctx.body = STYLE;
      return;
    }
    if (!INTERACTION.test(ctx.path)) return next();
    try {
      await interact(provider, ctx, console_url);
    } catch (error) {
      if (!(error instanceof errors.SessionNotFound)) throw error;
      ctx.status = 400;
      show(ctx, errorPage('This login was begun too long ago, or in another window.', console_url), console_url);
    }
  });
  const answer = provider.callback();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  return () =>
    new Promise((resolve) => {
      store.stop();
      server.close(() => resolve());
      server.closeAllConnections();
    });
};
