import {
  busConfig,
  httpUrl,
  oneBrokerLogin,
  oneOf,
  passwords,
  port,
  privateKey,
  secretVariable,
  text,
  textLike,
  wholeNumber,
  yesOrNo,
} from '@teaching/kit';
import { z } from 'zod';
import { isNetwork } from './http/trusted-proxies.ts';
import { requireCompleteLogin } from './session/login-config.ts';

const splitList = (value: string): string[] => value.split(',').map((item) => item.trim());
/** True for scheme, host and port as a browser writes them in `Origin`, and nothing else. */
const isOrigin = (given: string): boolean => /^https?:/.test(given) && URL.parse(given)?.origin === given;

/** Named values of `HSTS`. `on` means one year, for this host and all its subdomains. */
const HSTS_VALUES: Readonly<Record<string, string | undefined>> = {
  off: undefined,
  on: 'max-age=31536000; includeSubDomains',
};
const IS_HSTS = /^max-age=\d{1,10}(; ?includeSubDomains)?(; ?preload)?$/;

export const gatewayConfig = z
  .object({
    ...busConfig,
    HOST: text('the address to listen on').default('0.0.0.0'),
    PORT: port().default(8080),
    /** Only the gateway may hold this key: services trust every caller that it signed. */
    CALLER_SEAL_KEY: secretVariable(
      privateKey('the private key that the gateway signs callers with; services have its public key in CALLER_KEYS'),
    ),
    /** URL of the issuer's key set (RFC 7517). Set either this or `JWKS_FILE`, a local file with the same content. */
    JWKS_URL: httpUrl(
      'the URL where the token issuer publishes its keys',
      'https://login.example/jwks.json',
    ).optional(),
    JWKS_FILE: text('the path of a file with the keys of the token issuer').optional(),
    /** Seconds between two reads of the key set; 300 by default. */
    JWKS_REFRESH_SECONDS: wholeNumber(1, 86_400).default(300),
    /**
     * Seconds for which the last keys stay valid while they cannot be read; a day by default. After that, tokens get
     * 503.
     */
    JWKS_MAX_STALE: wholeNumber(1, 31_536_000).default(86_400),
    /**
     * Seconds for which the last list of revoked people stays valid while the class service does not answer; 3600 by
     * default. After that, tokens get 503.
     */
    SHUT_OUT_MAX_STALE: wholeNumber(5, 86_400).default(3_600),
    /**
     * The only accepted signature algorithm of tokens; ES256 by default. Set it to the algorithm of the issuer's keys.
     */
    JWT_ALGORITHM: oneOf('ES256', 'ES384', 'RS256', 'PS256', 'EdDSA').default('ES256'),
    JWT_ISSUER: text('the `iss` of every token, e.g. https://login.example'),
    JWT_AUDIENCE: text('the `aud` of every token, e.g. teaching-api'),
    /**
     * Accepted difference between the clocks of issuer and gateway in seconds, for `exp`, `nbf` and `iat` of tokens; 10
     * by default.
     */
    JWT_LEEWAY_SECONDS: wholeNumber(0, 60).default(10),
    /**
     * Origins whose pages may call the API from a browser (CORS); none by default. The console of this gateway needs no
     * entry.
     */
    CORS_ORIGINS: textLike(
      'the origins whose pages may call the API from a browser',
      'must be origins, e.g. https://console.example; several by commas, without a path or a slash at the end',
      (given) => splitList(given).every(isOrigin),
    )
      .transform(splitList)
      .optional(),
    /**
     * Whether to serve the console and `/auth`; true by default. Without `OIDC_ISSUER` there is no login and no
     * console.
     */
    CONSOLE: yesOrNo().default(true),
    /** The origin that browsers open the console at. Cookies require https unless this origin is http. */
    CONSOLE_URL: textLike(
      'the origin that browsers open the console at, e.g. https://school.example',
      'must be an origin, e.g. https://school.example, without a path or a slash at the end',
      isOrigin,
    ).optional(),
    /** The OpenID provider where people log in. Without it there is no login and no console. */
    OIDC_ISSUER: httpUrl('the URL of the OpenID provider where people log in', 'https://login.example').optional(),
    OIDC_CLIENT_ID: text('the client id of the console at the provider').optional(),
    OIDC_CLIENT_SECRET: secretVariable(
      passwords('the client secret of the console at the provider; one per line while the secret is exchanged'),
    ).optional(),
    /**
     * Claims of the identity token that hold the organization and the roles of a person; `org_id` and `roles` by
     * default.
     */
    OIDC_ORG_CLAIM: text('the identity token claim that holds the id of the organization').default('org_id'),
    OIDC_ROLES_CLAIM: text('the identity token claim that lists the roles').default('roles'),
    OIDC_SCOPES: textLike(
      'the OpenID scopes that the login requests',
      'must be scopes separated by spaces and include openid',
      (given) => given.split(' ').includes('openid'),
    ).default('openid'),
    /** Whether to serve /docs, /openapi.json and /asyncapi.json; true by default. */
    DOCS: yesOrNo().default(true),
    /** Requests that one user may make per window; 6000 by default. */
    RATE_LIMIT: wholeNumber(1, 1_000_000_000).default(6_000),
    /** Requests that all users of one organization together may make per window; ten times `RATE_LIMIT` by default. */
    ORG_RATE_LIMIT: wholeNumber(1, 1_000_000_000).optional(),
    /** Length of the window of all rate limits, in seconds; 60 by default. */
    RATE_LIMIT_WINDOW_SECONDS: wholeNumber(1, 3_600).default(60),
    /** Failed attempts per address and window: bad tokens, guessed secrets, unknown paths; 1000 by default. */
    FAILURE_LIMIT: wholeNumber(1, 1_000_000_000).default(1_000),
    /**
     * Milliseconds between two answers on one connection of an address above `FAILURE_LIMIT`, and the longest wait of a
     * request without a known token for its turn; 1000 by default.
     */
    HOLD_BACK_MS: wholeNumber(0, 10_000).default(1_000),
    /** Proxies in front of the gateway: their `X-Forwarded-For` gives the caller's address. None by default. */
    TRUST_PROXY: textLike(
      'the proxies in front of the gateway, which name the caller in X-Forwarded-For',
      'must be addresses or networks, e.g. 10.0.0.0/8 or loopback; several by commas',
      (given) => splitList(given).every(isNetwork),
    )
      .transform(splitList)
      .optional(),
    /**
     * Value of `Strict-Transport-Security` (RFC 6797), for TLS that ends in front of the gateway; no header by default.
     */
    HSTS: textLike(
      'the value of Strict-Transport-Security',
      'must be off, on or a value of the header, e.g. max-age=31536000; includeSubDomains',
      (given) => Object.hasOwn(HSTS_VALUES, given) || IS_HSTS.test(given),
    )
      .transform((given) => (Object.hasOwn(HSTS_VALUES, given) ? HSTS_VALUES[given] : given))
      .optional(),
    /** Open connections per address; 1000 by default. Further ones are closed. */
    MAX_CONNECTIONS_PER_ADDRESS: wholeNumber(1, 1_000_000).default(1_000),
    /** Bytes of all headers of one request together; 16384 by default. */
    MAX_HEADER_BYTES: wholeNumber(4_096, 65_536).default(16_384),
    /**
     * Milliseconds to receive the headers (10000 by default) and the whole request (30000 by default). They count from
     * the start of the connection, or from the end of the request before.
     */
    HEADERS_TIMEOUT_MS: wholeNumber(100, 600_000).default(10_000),
    REQUEST_TIMEOUT_MS: wholeNumber(100, 600_000).default(30_000),
    /** Milliseconds without traffic in either direction after which a connection is closed; 60000 by default. */
    CONNECTION_TIMEOUT_MS: wholeNumber(1_000, 600_000).default(60_000),
    /**
     * Milliseconds that a call may take before the answer is 504; 10000 by default. A stopping gateway waits for its
     * last calls no longer than this.
     */
    CALL_TIMEOUT_MS: wholeNumber(100, 20_000).default(10_000),
    /** Calls in progress at once; 2000 by default. One organization may use half of them. */
    MAX_PENDING: wholeNumber(1, 1_000_000).default(2_000),
    /** Open change streams at once; 5000 by default. One organization may use half of them. */
    MAX_STREAMS: wholeNumber(1, 1_000_000).default(5_000),
    /**
     * Milliseconds between the end of readiness and the close; 3000 by default. In this time the load balancer must
     * notice that the gateway is not ready.
     */
    DRAIN_MS: wholeNumber(0, 10_000).default(3_000),
  })
  .superRefine(oneBrokerLogin)
  .refine(({ JWKS_URL, JWKS_FILE }) => JWKS_URL !== undefined || JWKS_FILE !== undefined, {
    path: ['JWKS_URL'],
    error: 'must be set, or JWKS_FILE: the source of the keys of the token issuer',
  })
  .refine(({ JWKS_URL, JWKS_FILE }) => JWKS_URL === undefined || JWKS_FILE === undefined, {
    path: ['JWKS_URL'],
    error: 'must not be set together with JWKS_FILE: the keys are read from one of them',
  })
  .refine((one) => one.HEADERS_TIMEOUT_MS <= one.REQUEST_TIMEOUT_MS, {
    path: ['HEADERS_TIMEOUT_MS'],
    error: 'must not be more than REQUEST_TIMEOUT_MS: the headers are part of the request',
  })
  .refine((one) => one.CONNECTION_TIMEOUT_MS > one.CALL_TIMEOUT_MS, {
    path: ['CONNECTION_TIMEOUT_MS'],
    error: 'must be more than CALL_TIMEOUT_MS: a connection has no traffic while its request waits for an answer',
  })
  .superRefine(requireCompleteLogin);
export type GatewayConfig = z.output<typeof gatewayConfig>;
