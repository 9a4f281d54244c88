import { readConfig } from '@teaching/kit';
import { describe, expect, it } from 'vitest';
import { resolvedConfig } from '../../../tools/proofs/test/resolved-config.ts';
import { errorLines } from '../../../tools/proofs/test/error-lines.ts';
import { VERIFY_CALLER, SIGN_CALLER } from '../../../tools/proofs/test/signing-keys.ts';
import { gatewayConfig } from './config.ts';

const least = {
  NATS_URL: 'nats://broker:4222',
  SIGNING_SECRET: 'a secret of at least thirty-two characters',
  CALLER_SEAL_KEY: SIGN_CALLER,
  JWKS_FILE: '/run/jwks.json',
  JWT_ISSUER: 'https://login.example',
  JWT_AUDIENCE: 'teaching-api',
};
const read = (env: Record<string, string | undefined>) => readConfig(gatewayConfig, { ...least, ...env });
const faultsOf = (env: Record<string, string | undefined>): string[] => errorLines(() => read(env));

const ORIGINS =
  'CORS_ORIGINS must be origins, e.g. https://console.example; several by commas, without a path or a slash at the end';
const PROXIES = 'TRUST_PROXY must be addresses or networks, e.g. 10.0.0.0/8 or loopback; several by commas';
const CONSOLE = 'CONSOLE_URL must be an origin, e.g. https://school.example, without a path or a slash at the end';
const SCOPES = 'OIDC_SCOPES must be scopes separated by spaces and include openid';
const login = {
  OIDC_ISSUER: 'https://login.example/realms/school',
  OIDC_CLIENT_ID: 'console',
  OIDC_CLIENT_SECRET: 'hunter2',
  CONSOLE_URL: 'https://school.example',
};
const HSTS_FAULT = 'HSTS must be off, on or a value of the header, e.g. max-age=31536000; includeSubDomains';
const whole = (name: string, min: number, max: number, given: string): string =>
  `${name} must be a whole number from ${min} to ${max}, not "${given}"`;

describe('The configuration of the gateway', () => {
  it('has defaults for everything except broker, secret, keys, issuer and audience', () => {
    expect(resolvedConfig(read({}))).toEqual({
      ...least,
      SIGNING_SECRET: [least.SIGNING_SECRET],
      CALLER_SEAL_KEY: expect.objectContaining({ asymmetricKeyType: 'ed25519', type: 'private' }),
      LOG_LEVEL: 'info',
      HOST: '0.0.0.0',
      PORT: 8080,
      JWT_ALGORITHM: 'ES256',
      JWT_LEEWAY_SECONDS: 10,
      CONSOLE: true,
      OIDC_ORG_CLAIM: 'org_id',
      OIDC_ROLES_CLAIM: 'roles',
      OIDC_SCOPES: 'openid',
      DOCS: true,
      RATE_LIMIT: 6_000,
      RATE_LIMIT_WINDOW_SECONDS: 60,
      FAILURE_LIMIT: 1_000,
      JWKS_REFRESH_SECONDS: 300,
      JWKS_MAX_STALE: 86_400,
      SHUT_OUT_MAX_STALE: 3_600,
      MAX_CONNECTIONS_PER_ADDRESS: 1_000,
      MAX_HEADER_BYTES: 16_384,
      HOLD_BACK_MS: 1_000,
      HEADERS_TIMEOUT_MS: 10_000,
      REQUEST_TIMEOUT_MS: 30_000,
      CONNECTION_TIMEOUT_MS: 60_000,
      CALL_TIMEOUT_MS: 10_000,
      MAX_PENDING: 2_000,
      MAX_STREAMS: 5_000,
      DRAIN_MS: 3_000,
    });
  });

  it('accepts one origin or several', () => {
    const CORS_ORIGINS = 'https://a.example, http://localhost:5173,http://[::1]:80';
    expect(faultsOf({ CORS_ORIGINS })).toEqual([ORIGINS]); // a browser omits port 80
    expect(read({ CORS_ORIGINS: 'https://a.example, http://localhost:5173' }).CORS_ORIGINS).toEqual([
      'https://a.example',
      'http://localhost:5173',
    ]);
  });

  it.each([
    { OIDC_ISSUER: 'http://127.0.0.1:9080' },
    { OIDC_ISSUER: 'http://[::1]:9080' },
    { OIDC_ISSUER: 'http://localhost:9080' },
    { OIDC_ISSUER: 'http://login.local', CONSOLE_URL: 'http://school.local:8080' },
    { OIDC_CLIENT_SECRET: 'hunter2\nhunter3' },
    { OIDC_SCOPES: 'openid offline_access' },
  ])('accepts a provider at https, or at http on this machine or with an http console: %o', (env) =>
    expect(resolvedConfig(read({ ...login, ...env }))).toMatchObject({
      CONSOLE_URL: env.CONSOLE_URL ?? login.CONSOLE_URL,
    }),
  );

  it.each([
    [
      { OIDC_ISSUER: 'http://login.example' },
      'OIDC_ISSUER must be an https address, because CONSOLE_URL is https://school.example. It may be http on this machine, or together with a CONSOLE_URL of http',
    ],
    [
      { OIDC_CLIENT_ID: '' },
      'OIDC_CLIENT_ID must be set together with OIDC_ISSUER: the client id of the console at the provider',
    ],
    [
      { OIDC_CLIENT_SECRET: '' },
      'OIDC_CLIENT_SECRET must be set together with OIDC_ISSUER: the client secret of the console at the provider',
    ],
    [
      { CONSOLE_URL: '' },
      'CONSOLE_URL must be set together with OIDC_ISSUER: the origin that browsers open the console at',
    ],
    [{ CONSOLE_URL: 'https://school.example/console' }, CONSOLE],
    [{ CONSOLE_URL: 'school.example' }, CONSOLE],
    [{ OIDC_ISSUER: 'login.example' }, 'OIDC_ISSUER is not an HTTP address, e.g. https://login.example'],
    [{ OIDC_SCOPES: 'profile' }, SCOPES],
    [
      { OIDC_ISSUER: '', OIDC_CLIENT_SECRET: '' },
      'OIDC_ISSUER must be set together with OIDC_CLIENT_ID: the URL of the OpenID provider where people log in',
    ],
  ])('reports the missing or wrong setting of a login: %o', (env, line) =>
    expect(faultsOf({ ...login, ...env })).toEqual([line]),
  );

  it('accepts one proxy or several', () => {
    expect(read({ TRUST_PROXY: 'loopback, 10.0.0.0/8,::1' }).TRUST_PROXY).toEqual(['loopback', '10.0.0.0/8', '::1']);
  });

  it.each([
    ['off', undefined],
    ['', undefined],
    ['on', 'max-age=31536000; includeSubDomains'],
    ['max-age=300', 'max-age=300'],
    ['max-age=300;includeSubDomains; preload', 'max-age=300;includeSubDomains; preload'],
  ])('reads the value of Strict-Transport-Security from HSTS: %s', (HSTS, header) =>
    expect(read({ HSTS }).HSTS).toBe(header),
  );

  it.each([
    [
      { CALLER_SEAL_KEY: VERIFY_CALLER },
      'CALLER_SEAL_KEY must be an Ed25519 key, DER in base64url (PKCS 8 if private, SPKI if public)',
    ],
    [{ NATS_URL: '' }, "NATS_URL is not set: the broker's address, e.g. nats://broker:4222"],
    [{ SIGNING_SECRET: '' }, 'SIGNING_SECRET is not set: at least 32 random characters, the same for all services'],
    [
      { SIGNING_SECRET: 'hunter2' },
      'SIGNING_SECRET must have at least 32 characters; several by commas, each with as many',
    ],
    [{ PORT: '65536' }, whole('PORT', 0, 65_535, '65536')],
    [{ JWKS_FILE: '' }, 'JWKS_URL must be set, or JWKS_FILE: the source of the keys of the token issuer'],
    [
      { JWKS_URL: 'https://login.example/jwks.json' },
      'JWKS_URL must not be set together with JWKS_FILE: the keys are read from one of them',
    ],
    [
      { JWKS_URL: 'login.example', JWKS_FILE: '' },
      'JWKS_URL is not an HTTP address, e.g. https://login.example/jwks.json',
    ],
    [{ JWT_ISSUER: '' }, 'JWT_ISSUER is not set: the `iss` of every token, e.g. https://login.example'],
    [{ JWT_AUDIENCE: '' }, 'JWT_AUDIENCE is not set: the `aud` of every token, e.g. teaching-api'],
    [{ JWT_ALGORITHM: 'HS256' }, 'JWT_ALGORITHM must be one of ES256, ES384, RS256, PS256, EdDSA, not "HS256"'],
    [{ JWT_LEEWAY_SECONDS: '61' }, whole('JWT_LEEWAY_SECONDS', 0, 60, '61')],
    [{ JWT_LEEWAY_SECONDS: '-1' }, whole('JWT_LEEWAY_SECONDS', 0, 60, '-1')],
    [{ CORS_ORIGINS: '*' }, ORIGINS],
    [{ CORS_ORIGINS: 'null' }, ORIGINS],
    [{ CORS_ORIGINS: 'console.example' }, ORIGINS],
    [{ CORS_ORIGINS: 'https://console.example/' }, ORIGINS],
    [{ CORS_ORIGINS: 'https://console.example,' }, ORIGINS],
    [{ CORS_ORIGINS: 'ftp://console.example' }, ORIGINS],
    [{ DOCS: 'maybe' }, 'DOCS must be true or false, not "maybe"'],
    [{ RATE_LIMIT: '0' }, whole('RATE_LIMIT', 1, 1_000_000_000, '0')],
    [{ RATE_LIMIT_WINDOW_SECONDS: '1h' }, whole('RATE_LIMIT_WINDOW_SECONDS', 1, 3_600, '1h')],
    [{ ORG_RATE_LIMIT: '0' }, whole('ORG_RATE_LIMIT', 1, 1_000_000_000, '0')],
    [{ HSTS: 'yes' }, HSTS_FAULT],
    [{ HSTS: 'max-age=1; secure' }, HSTS_FAULT],
    [{ HSTS: 'toString' }, HSTS_FAULT],
    [{ FAILURE_LIMIT: '0' }, whole('FAILURE_LIMIT', 1, 1_000_000_000, '0')],
    [{ JWKS_REFRESH_SECONDS: '0' }, whole('JWKS_REFRESH_SECONDS', 1, 86_400, '0')],
    [{ SHUT_OUT_MAX_STALE: '1' }, whole('SHUT_OUT_MAX_STALE', 5, 86_400, '1')],
    [{ JWKS_MAX_STALE: 'never' }, whole('JWKS_MAX_STALE', 1, 31_536_000, 'never')],
    [{ TRUST_PROXY: 'true' }, PROXIES],
    [{ TRUST_PROXY: 'proxy.example' }, PROXIES],
    [{ TRUST_PROXY: '10.0.0.0/33' }, PROXIES],
    [{ MAX_CONNECTIONS_PER_ADDRESS: '0' }, whole('MAX_CONNECTIONS_PER_ADDRESS', 1, 1_000_000, '0')],
    [{ MAX_HEADER_BYTES: '1' }, whole('MAX_HEADER_BYTES', 4_096, 65_536, '1')],
    [{ HEADERS_TIMEOUT_MS: '0' }, whole('HEADERS_TIMEOUT_MS', 100, 600_000, '0')],
    [{ REQUEST_TIMEOUT_MS: '600001' }, whole('REQUEST_TIMEOUT_MS', 100, 600_000, '600001')],
    [{ CONNECTION_TIMEOUT_MS: '0' }, whole('CONNECTION_TIMEOUT_MS', 1_000, 600_000, '0')],
    [
      { REQUEST_TIMEOUT_MS: '9999' },
      'HEADERS_TIMEOUT_MS must not be more than REQUEST_TIMEOUT_MS: the headers are part of the request',
    ],
    [
      { CONNECTION_TIMEOUT_MS: '10000' },
      'CONNECTION_TIMEOUT_MS must be more than CALL_TIMEOUT_MS: a connection has no traffic while its request waits for an answer',
    ],
    [{ CALL_TIMEOUT_MS: '99' }, whole('CALL_TIMEOUT_MS', 100, 20_000, '99')],
    [{ MAX_PENDING: '-1' }, whole('MAX_PENDING', 1, 1_000_000, '-1')],
    [{ DRAIN_MS: '10001' }, whole('DRAIN_MS', 0, 10_000, '10001')],
  ])('reports the fault of %o in one line', (env, line) => {
    expect(faultsOf(env)).toEqual([line]);
  });
});
