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

const listed = (given: string): string[] => given.split(',').map((one) => one.trim());
/** Scheme, host and port as a browser says them, and nothing else. */
const isOrigin = (given: string): boolean => /^https?:/.test(given) && URL.parse(given)?.origin === given;

/** A year, for all names below this one. */
const HSTS_WORDS: Readonly<Record<string, string | undefined>> = {
  off: undefined,
  on: 'max-age=31536000; includeSubDomains',
};
const IS_HSTS = /^max-age=\d{1,10}(; ?includeSubDomains)?(; ?preload)?$/;

export const gatewayConfig = z
  .object({
    ...busConfig,
    HOST: text('the address to listen on').default('0.0.0.0'),
    PORT: port().default(8080),
    /** Nobody else has it: services believe what it sealed. */
    CALLER_SEAL_KEY: secretVariable(
      privateKey('the private key that seals callers; services have its public half in CALLER_KEYS'),
    ),
    /** Where the issuer publishes its keys (RFC 7517); or a local file with the same content. */
    JWKS_URL: httpUrl('where the token issuer publishes its keys', 'https://login.example/jwks.json').optional(),
    JWKS_FILE: text('a file with the keys of the token issuer').optional(),
    /** Seconds between two readings of the keys. */
    JWKS_REFRESH_SECONDS: wholeNumber(1, 86_400).default(300),
    /** Seconds for which the last keys count while they cannot be read again. */
    JWKS_MAX_STALE: wholeNumber(1, 31_536_000).default(86_400),
    /** Seconds for which the last that was heard of who must not enter counts while nothing is heard. */
    SHUT_OUT_MAX_STALE: wholeNumber(5, 86_400).default(3_600),
    /** The one algorithm that is accepted. */
    JWT_ALGORITHM: oneOf('ES256', 'ES384', 'RS256', 'PS256', 'EdDSA').default('ES256'),
    JWT_ISSUER: text('the `iss` of every token, e.g. https://login.example'),
    JWT_AUDIENCE: text('the `aud` of every token, e.g. teaching-api'),
    /** Origins that browsers may call from; none by default. */
    CORS_ORIGINS: textLike(
      'the origins that browsers may call from',
      'must be origins, e.g. https://console.example; several by commas, without a path or a slash at the end',
      (given) => listed(given).every(isOrigin),
    )
      .transform(listed)
      .optional(),
    /** Serve the console, if people can log in: the pages themselves, and /auth. */
    CONSOLE: yesOrNo().default(true),
    /** What browsers open the console by; cookies are for https unless it says http. */
    CONSOLE_URL: textLike(
      'the origin that browsers open the console by, e.g. https://school.example',
      'must be an origin, e.g. https://school.example, without a path or a slash at the end',
      isOrigin,
    ).optional(),
    /** Where people log in; without it there is no login and no console. */
    OIDC_ISSUER: httpUrl('the OpenID provider that people log in at', 'https://login.example').optional(),
    OIDC_CLIENT_ID: text('the name of the console at the provider').optional(),
    OIDC_CLIENT_SECRET: secretVariable(
      passwords('the secret of the console at the provider; several by line while it is exchanged'),
    ).optional(),
    /** Claims of the identity token that say to which organization somebody belongs, and what they are in it. */
    OIDC_ORG_CLAIM: text('the claim that holds the id of the organization').default('org_id'),
    OIDC_ROLES_CLAIM: text('the claim that lists the roles').default('roles'),
    OIDC_SCOPES: textLike(
      'what is asked of the provider',
      'must be words with spaces between, openid among them',
      (given) => given.split(' ').includes('openid'),
    ).default('openid'),
    /** Serve /docs, /openapi.json and /asyncapi.json. */
    DOCS: yesOrNo().default(true),
    /** Requests one user may make in one window. */
    RATE_LIMIT: wholeNumber(1, 1_000_000_000).default(6_000),
    /** Those of all users of one organization together; by default ten times as many. */
    ORG_RATE_LIMIT: wholeNumber(1, 1_000_000_000).optional(),
    RATE_LIMIT_WINDOW_SECONDS: wholeNumber(1, 3_600).default(60),
    /** Tries of an address in one window that no caller stands behind: bad tokens, guessed secrets, unknown paths. */
    FAILURE_LIMIT: wholeNumber(1, 1_000_000_000).default(1_000),
    /** An address beyond that gets one answer in this time on each of its connections. */
    HOLD_BACK_MS: wholeNumber(0, 10_000).default(1_000),
    /** The proxies whose word on the caller's address is taken; nobody's by default. */
    TRUST_PROXY: textLike(
      'the proxies in front of the gateway',
      'must be addresses or networks, e.g. 10.0.0.0/8 or loopback; several by commas',
      (given) => listed(given).every(isNetwork),
    )
      .transform(listed)
      .optional(),
    /** What browsers are told of TLS (RFC 6797), where it ends in front of the gateway; nothing by default. */
    HSTS: textLike(
      'whether browsers are told to stay with TLS',
      'must be off, on or as the header says it, e.g. max-age=31536000; includeSubDomains',
      (given) => Object.hasOwn(HSTS_WORDS, given) || IS_HSTS.test(given),
    )
      .transform((given) => (Object.hasOwn(HSTS_WORDS, given) ? HSTS_WORDS[given] : given))
      .optional(),
    /** Connections of one address at once. */
    MAX_CONNECTIONS_PER_ADDRESS: wholeNumber(1, 1_000_000).default(1_000),
    /** Bytes of all headers of a request together. */
    MAX_HEADER_BYTES: wholeNumber(4_096, 65_536).default(16_384),
    /** Time from the connection, or the request before, to the end of the headers, and of the body. */
    HEADERS_TIMEOUT_MS: wholeNumber(100, 600_000).default(10_000),
    REQUEST_TIMEOUT_MS: wholeNumber(100, 600_000).default(30_000),
    /** Time in which nothing goes either way on a connection. */
    CONNECTION_TIMEOUT_MS: wholeNumber(1_000, 600_000).default(60_000),
    /** Time a call may take before the answer is 504. A process that stops waits for its last calls no longer than that. */
    CALL_TIMEOUT_MS: wholeNumber(100, 20_000).default(10_000),
    /** Calls under way at once; of one organization at most half of them. */
    MAX_PENDING: wholeNumber(1, 1_000_000).default(2_000),
    /** Pages that are told what changes at once; of one organization at most half of them. */
    MAX_STREAMS: wholeNumber(1, 1_000_000).default(5_000),
    /** Time between not being ready any more and closing: whoever chooses gateways has to see it meanwhile. */
    DRAIN_MS: wholeNumber(0, 10_000).default(3_000),
  })
  .superRefine(oneBrokerLogin)
  .refine(({ JWKS_URL, JWKS_FILE }) => JWKS_URL !== undefined || JWKS_FILE !== undefined, {
    path: ['JWKS_URL'],
    error: 'must be set, or JWKS_FILE: where the keys of the token issuer are',
  })
  .refine(({ JWKS_URL, JWKS_FILE }) => JWKS_URL === undefined || JWKS_FILE === undefined, {
    path: ['JWKS_URL'],
    error: 'must not be set beside JWKS_FILE: the keys are read from one of them',
  })
  .refine((one) => one.HEADERS_TIMEOUT_MS <= one.REQUEST_TIMEOUT_MS, {
    path: ['HEADERS_TIMEOUT_MS'],
    error: 'must not be more than REQUEST_TIMEOUT_MS: the headers are part of the request',
  })
  .refine((one) => one.CONNECTION_TIMEOUT_MS > one.CALL_TIMEOUT_MS, {
    path: ['CONNECTION_TIMEOUT_MS'],
    error: 'must be more than CALL_TIMEOUT_MS: nothing goes on a connection while an answer is waited for',
  })
  .superRefine(requireCompleteLogin);
export type GatewayConfig = z.output<typeof gatewayConfig>;
