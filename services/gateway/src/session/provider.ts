import { type Logger, FailureLog } from '@teaching/kit';
import * as client from 'openid-client';
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { reasonOf } from '../auth/public-keys.ts';
import type { LoginSettings } from './login-config.ts';

/** Why a login does not come about at the provider: the person did not want it, nobody answers, or it says no. */
type RefusalSort = 'denied' | 'unavailable' | 'refused';

export class ProviderRefusal extends Error {
  readonly sort: RefusalSort;

  constructor(sort: RefusalSort, message: string, options?: ErrorOptions) {
    super(message, options);
    this.sort = sort;
  }
}

/** Errors of RFC 6749 that are over by themselves, or by the operator's hand. */
const FOR_NOW: readonly string[] = ['server_error', 'temporarily_unavailable', 'invalid_client', 'unauthorized_client'];
/** What is no answer of a provider that works. */
const NO_ANSWER: readonly (string | undefined)[] = [
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
];

/** Whether the provider does not take our secret: nothing was used up then. */
const isWrongSecret = (error: unknown): boolean =>
  (error instanceof WWWAuthenticateChallengeError && error.status === 401) ||
  (error instanceof ResponseBodyError && error.error === 'invalid_client');

const sortOf = (error: unknown): RefusalSort => {
  if (error instanceof AuthorizationResponseError && error.error === 'access_denied') return 'denied';
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const isOver = 'status' in error && error.status >= 500;
    return isOver || FOR_NOW.includes(error.error) ? 'unavailable' : 'refused';
  }
  // `fetch` rejects so when nobody is there.
  if (error instanceof TypeError || error instanceof WWWAuthenticateChallengeError) return 'unavailable';
  return error instanceof ClientError && NO_ANSWER.includes(error.code) ? 'unavailable' : 'refused';
};

/** What went wrong, in the words of the provider's error or of the connection; neither holds a token or a secret. */
export const whyOf = (error: unknown): string =>
  error instanceof AuthorizationResponseError || error instanceof ResponseBodyError ? error.error : reasonOf(error);

/** Seconds for an answer of the provider. */
const TIMEOUT_S = 5;
const SAY_MS = 5_000;
export const CALLBACK_PATH = '/auth/callback';

/** What has to come back as it went out. */
export interface LoginChecks {
  state: string;
  nonce: string;
  verifier: string;
}

export interface Tokens {
  /** Of the identity token; `undefined` where a renewal brought none. */
  claims: Readonly<Record<string, unknown>> | undefined;
  id_token: string | undefined;
  refresh_token: string | undefined;
  /** When what was given ends, in epoch seconds. */
  exp: number | undefined;
}

/** Where people log in. Whatever it refuses, or does not answer, is a `ProviderRefusal`. */
export interface Provider {
  /** The address of its page for a login with these checks. */
  begin(checks: LoginChecks): Promise<string>;
  /** What it gives for the answer that the browser brought back: path and query. */
  finish(query: string, checks: LoginChecks): Promise<Tokens>;
  renew(refresh_token: string): Promise<Tokens>;
  /** Where the browser ends its session there; it has to be none any more for us then. */
  end(renewal: { refresh_token?: string | undefined; id_token?: string | undefined } | undefined): Promise<string>;
}

const tokensOf = (answer: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers): Tokens => {
  const claims = answer.claims();
  const left_s = answer.expiresIn();
  return {
    claims,
    id_token: answer.id_token,
    refresh_token: answer.refresh_token,
    exp: left_s === undefined ? claims?.exp : Math.floor(Date.now() / 1_000) + left_s,
  };
};

/** What the provider says of itself (OpenID Connect Discovery §4), to be asked with this secret. */
export const discover = ({ issuer, client_id }: LoginSettings, secret: string): Promise<client.Configuration> => {
  const insecure = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  return client.discovery(issuer, client_id, undefined, client.ClientSecretBasic(secret), {
    execute: [client.enableNonRepudiationChecks, ...insecure],
    timeout: TIMEOUT_S,
  });
};

/** Speaks OpenID Connect: code with PKCE, the identity token's signature looked at (OpenID Connect Core §3.1, RFC 7636). */
export const createProvider = (settings: LoginSettings, log: Logger): Provider => {
  const teller = new FailureLog(log, 'waiting for the login provider (OIDC_ISSUER)', SAY_MS);
  const found = new Map<string, Promise<client.Configuration>>();
  let right: string | undefined;

  /** What the provider says of itself, asked for until it was told once. */
  const configurationFor = (secret: string): Promise<client.Configuration> => {
    const known = found.get(secret);
    if (known !== undefined) return known;
    const asked = discover(settings, secret);
    found.clear();
    found.set(secret, asked);
    asked.catch(() => found.delete(secret));
    return asked;
  };

  const refusalOf = (error: unknown): ProviderRefusal => {
    const sort = sortOf(error);
    const why = whyOf(error);
    if (sort === 'unavailable') teller.tell(why);
    return new ProviderRefusal(sort, why, { cause: error });
  };

  /** Asks as ourselves; of several secrets that which was right before comes first. */
  const ask = async <T>(question: (configuration: client.Configuration) => Promise<T>): Promise<T> => {
    const secrets = settings.client_secrets().toSorted((one, other) => +(other === right) - +(one === right));
    for (const [n, secret] of secrets.entries()) {
      try {
        const answer = await question(await configurationFor(secret));
        right = secret;
        teller.over();
        return answer;
      } catch (error) {
        if (n === secrets.length - 1 || !isWrongSecret(error)) throw refusalOf(error);
      }
    }
    throw new ProviderRefusal('unavailable', 'there is no secret to ask with');
  };

  const begin: Provider['begin'] = async ({ state, nonce, verifier }) => {
    const code_challenge = await client.calculatePKCECodeChallenge(verifier);
    return ask(
      async (configuration) =>
        client.buildAuthorizationUrl(configuration, {
          redirect_uri: `${settings.origin}${CALLBACK_PATH}`,
          scope: settings.scopes,
          state,
          nonce,
          code_challenge,
          code_challenge_method: 'S256',
        }).href,
    );
  };

  return {
    begin,
    finish: (query, { state, nonce, verifier }) => {
      const answered = new URL(`${settings.origin}${CALLBACK_PATH}${query}`);
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      return ask(async (configuration) =>
        tokensOf(await client.authorizationCodeGrant(configuration, answered, checks)),
      );
    },
    renew: (refresh_token) =>
      ask(async (configuration) => tokensOf(await client.refreshTokenGrant(configuration, refresh_token))),
    end: (renewal) =>
      ask(async (configuration) => {
        const { end_session_endpoint, revocation_endpoint } = configuration.serverMetadata();
        if (renewal?.refresh_token !== undefined && revocation_endpoint !== undefined)
          await client.tokenRevocation(configuration, renewal.refresh_token).catch(() => {});
        if (end_session_endpoint === undefined) return '/';
        const address = client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: `${settings.origin}/` });
        if (renewal?.id_token !== undefined) address.searchParams.set('id_token_hint', renewal.id_token);
        return address.href;
      }),
  };
};
