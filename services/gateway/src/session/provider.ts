import { type Logger, FailureLog } from '@teaching/kit';
import * as client from 'openid-client';
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { connectionErrorReason } from '../auth/public-keys.ts';
import type { LoginSettings } from './login-config.ts';

/** Why a login fails at the provider: the person declined, the provider does not answer, or it refuses. */
type RefusalKind = 'denied' | 'unavailable' | 'refused';

export class ProviderRefusal extends Error {
  readonly refusalKind: RefusalKind;

  constructor(sort: RefusalKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.refusalKind = sort;
  }
}

/** Errors of RFC 6749 that end without action of the person, or that the operator can mend. */
const FOR_NOW: readonly string[] = ['server_error', 'temporarily_unavailable', 'invalid_client', 'unauthorized_client'];
/** Error codes for responses that a working provider does not send. */
const NO_ANSWER: readonly (string | undefined)[] = [
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
];

/** True when the provider refuses our secret. The code or refresh token is still unused then. */
const isWrongSecret = (error: unknown): boolean =>
  (error instanceof WWWAuthenticateChallengeError && error.status === 401) ||
  (error instanceof ResponseBodyError && error.error === 'invalid_client');

const kindOf = (error: unknown): RefusalKind => {
  if (error instanceof AuthorizationResponseError && error.error === 'access_denied') return 'denied';
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const isOver = 'status' in error && error.status >= 500;
    return isOver || FOR_NOW.includes(error.error) ? 'unavailable' : 'refused';
  }
  // `fetch` rejects with a `TypeError` when the connection fails.
  if (error instanceof TypeError || error instanceof WWWAuthenticateChallengeError) return 'unavailable';
  return error instanceof ClientError && NO_ANSWER.includes(error.code) ? 'unavailable' : 'refused';
};

/** The error code of the provider, or the reason of a failed connection; neither contains a token or a secret. */
export const providerErrorReason = (error: unknown): string =>
  error instanceof AuthorizationResponseError || error instanceof ResponseBodyError
    ? error.error
    : connectionErrorReason(error);

/** Timeout of a request to the provider, in seconds. */
const TIMEOUT_S = 5;
const LOG_INTERVAL_MS = 5_000;
export const CALLBACK_PATH = '/auth/callback';

/** Values of a login that the callback must match. */
export interface LoginChecks {
  state: string;
  nonce: string;
  verifier: string;
}

export interface Tokens {
  /** Claims of the identity token; `undefined` when a renewal returned none. */
  claims: Readonly<Record<string, unknown>> | undefined;
  id_token: string | undefined;
  refresh_token: string | undefined;
  /** The end of the tokens in epoch seconds. */
  exp: number | undefined;
}

/** The OpenID provider. Every refusal and missing answer is thrown as a `ProviderRefusal`. */
export interface Provider {
  /** The URL of its login page for these checks. */
  startLogin(checks: LoginChecks): Promise<string>;
  /** The tokens for the query of the callback. */
  finishLogin(query: string, checks: LoginChecks): Promise<Tokens>;
  renewTokens(refresh_token: string): Promise<Tokens>;
  /** The URL that ends the session at the provider. Our session must be deleted before. */
  endSession(
    renewal: { refresh_token?: string | undefined; id_token?: string | undefined } | undefined,
  ): Promise<string>;
}

/** An identity token without `expires_in` is accepted until the leeway after its `exp`, and so is its session. */
export const tokensOf = (
  answer: Pick<client.TokenEndpointResponse, 'id_token' | 'refresh_token'> &
    Pick<client.TokenEndpointResponseHelpers, 'claims' | 'expiresIn'>,
  leeway_s: number,
): Tokens => {
  const claims = answer.claims();
  const left_s = answer.expiresIn();
  return {
    claims,
    id_token: answer.id_token,
    refresh_token: answer.refresh_token,
    exp: left_s === undefined ? claims && claims.exp + leeway_s : Math.floor(Date.now() / 1_000) + left_s,
  };
};

/** Loads the provider's metadata (OpenID Connect Discovery §4), for requests with this secret. */
export const discover = (
  { issuer, client_id, leeway_s }: LoginSettings,
  secret: string,
): Promise<client.Configuration> => {
  const insecure = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  return client.discovery(issuer, client_id, { [client.clockTolerance]: leeway_s }, client.ClientSecretBasic(secret), {
    execute: [client.enableNonRepudiationChecks, ...insecure],
    timeout: TIMEOUT_S,
  });
};

/**
 * Creates a client of OpenID Connect: code flow with PKCE and a verified signature of the identity token (OpenID
 * Connect Core §3.1, RFC 7636).
 */
export const createProvider = (settings: LoginSettings, log: Logger): Provider => {
  const teller = new FailureLog(log, 'waiting for the login provider (OIDC_ISSUER)', LOG_INTERVAL_MS);
  const found = new Map<string, Promise<client.Configuration>>();
  let lastValidSecret: string | undefined;

  /** The provider's metadata, loaded until it succeeds once. */
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
    const sort = kindOf(error);
    const why = providerErrorReason(error);
    if (sort === 'unavailable') teller.report(why);
    return new ProviderRefusal(sort, why, { cause: error });
  };

  /** Sends a request with our client secret; of several secrets, the last accepted one is tried first. */
  const ask = async <T>(question: (configuration: client.Configuration) => Promise<T>): Promise<T> => {
    const secrets = settings
      .client_secrets()
      .toSorted((one, other) => +(other === lastValidSecret) - +(one === lastValidSecret));
    for (const [n, secret] of secrets.entries()) {
      try {
        const answer = await question(await configurationFor(secret));
        lastValidSecret = secret;
        teller.logRecovery();
        return answer;
      } catch (error) {
        if (n === secrets.length - 1 || !isWrongSecret(error)) throw refusalOf(error);
      }
    }
    throw new ProviderRefusal('unavailable', 'no client secret is configured');
  };

  const startLogin: Provider['startLogin'] = async ({ state, nonce, verifier }) => {
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
    startLogin,
    finishLogin: (query, { state, nonce, verifier }) => {
      const answered = new URL(`${settings.origin}${CALLBACK_PATH}${query}`);
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      return ask(async (configuration) =>
        tokensOf(await client.authorizationCodeGrant(configuration, answered, checks), settings.leeway_s),
      );
    },
    renewTokens: (refresh_token) =>
      ask(async (configuration) =>
        tokensOf(await client.refreshTokenGrant(configuration, refresh_token), settings.leeway_s),
      ),
    endSession: (renewal) =>
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
