import { busConfig, httpUrl, oneOf, port, privateKey, text, textLike, wholeNumber, yesOrNo } from '@teaching/kit';
import { z } from 'zod';

const listed = (given: string): string[] => given.split(',').map((one) => one.trim());
/** Scheme, host and port as a browser says them, and nothing else. */
const isOrigin = (given: string): boolean => /^https?:/.test(given) && URL.parse(given)?.origin === given;

export const gatewayConfig = z
  .object({
    ...busConfig,
    HOST: text('the address to listen on').default('0.0.0.0'),
    PORT: port().default(8080),
    /** Nobody else has it: services believe what it sealed. */
    CALLER_SEAL_KEY: privateKey('the private key that seals callers; services have its public half in CALLER_KEYS'),
    /** Where the issuer publishes its keys (RFC 7517); or a local file with the same content. */
    JWKS_URL: httpUrl('where the token issuer publishes its keys', 'https://login.example/jwks.json').optional(),
    JWKS_FILE: text('a file with the keys of the token issuer').optional(),
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
    /** Serve /docs, /openapi.json and /asyncapi.json. */
    DOCS: yesOrNo().default(true),
    /** Requests one user may make in one window. */
    RATE_LIMIT: wholeNumber(1, 1_000_000_000).default(6_000),
    RATE_LIMIT_WINDOW_SECONDS: wholeNumber(1, 3_600).default(60),
    /** Time a call may take before the answer is 504. A process that stops waits for its last calls no longer than that. */
    CALL_TIMEOUT_MS: wholeNumber(100, 20_000).default(10_000),
    /** Calls under way at once; of one organization at most half of them. */
    MAX_PENDING: wholeNumber(1, 1_000_000).default(2_000),
    /** Time between not being ready any more and closing: whoever chooses gateways has to see it meanwhile. */
    DRAIN_MS: wholeNumber(0, 10_000).default(3_000),
  })
  .refine(({ JWKS_URL, JWKS_FILE }) => JWKS_URL !== undefined || JWKS_FILE !== undefined, {
    path: ['JWKS_URL'],
    error: 'must be set, or JWKS_FILE: where the keys of the token issuer are',
  })
  .refine(({ JWKS_URL, JWKS_FILE }) => JWKS_URL === undefined || JWKS_FILE === undefined, {
    path: ['JWKS_URL'],
    error: 'must not be set beside JWKS_FILE: the keys are read from one of them',
  });
export type GatewayConfig = z.output<typeof gatewayConfig>;
