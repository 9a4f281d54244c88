import { generateKeyPairSync } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { resolvedConfig } from '../../../../tools/proofs/test/resolved-config.ts';
import { errorLines } from '../../../../tools/proofs/test/error-lines.ts';
import { VERIFY_CALLER, SIGN_CALLER } from '../../../../tools/proofs/test/signing-keys.ts';
import { readConfig, serviceConfig } from './config.ts';

const least = {
  NATS_URL: 'nats://broker:4222',
  SIGNING_SECRET: 'a secret of at least thirty-two characters',
  DATABASE_URL: 'postgres://clazz_app:hunter2@db:5432/teaching',
  WORKER_DATABASE_URL: 'postgresql://clazz_worker@%2Frun%2Fpostgres:5432/teaching',
  CALLER_KEYS: VERIFY_CALLER,
};
const SELF = fileURLToPath(import.meta.url);
const SEED = `SU${'A'.repeat(56)}`;
const PEM_KEY = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const read = (env: Record<string, string | undefined>) => readConfig(serviceConfig, { ...least, ...env });
const problemLines = (env: Record<string, string | undefined>): string[] => errorLines(() => read(env));

const APP = 'is not a Postgres URL with user and database, e.g. postgres://clazz_app:…@db:5432/teaching';
const KEY = 'must be an Ed25519 key, DER in base64url (PKCS 8 if private, SPKI if public)';
const BROKER = 'is not the address of a broker without a login, e.g. nats://broker:4222; several by commas';

describe('Reading the configuration of a service', () => {
  it('has a default for each setting that is not a secret or an address', () => {
    expect(resolvedConfig(read({}))).toEqual({
      ...least,
      SIGNING_SECRET: [least.SIGNING_SECRET],
      CALLER_KEYS: [expect.objectContaining({ asymmetricKeyType: 'ed25519', type: 'public' })],
      LOG_LEVEL: 'info',
      DATABASE_POOL: 10,
      DATABASE_LANES: 6,
      CONCURRENCY: 64,
      IN_PROCESS_CALLS: false,
      HEALTH_HOST: '0.0.0.0',
      HEALTH_PORT: 8081,
      STREAM_REPLICAS: 1,
      STREAM_MAX_BYTES: 1_000_000_000,
      CHECK_REPLIES: false,
    });
  });

  it('accepts one signing secret or several', () => {
    const [one, other] = [least.SIGNING_SECRET, 'another one of at least thirty-two characters'];
    expect(read({ SIGNING_SECRET: `${one},${other}` }).SIGNING_SECRET()).toEqual([one, other]);
  });

  it('reads only the variables of its schema, and takes an empty one as absent', () => {
    const with_more = read({ PATH: '/bin', DATABASE_LANES: '', MIGRATION_DATABASE_URL: '', SIGNING_SECRET_FILE: '' });
    expect(resolvedConfig(with_more)).toEqual(resolvedConfig(read({})));
  });

  it.each(['nats://a:4222,nats://b:4222, c:4222', 'tls://broker', 'broker', '[::1]:4222'])(
    'accepts %s as brokers',
    (NATS_URL) => {
      expect(problemLines({ NATS_URL })).toEqual([]);
    },
  );

  it.each([
    [{ NATS_URL: '' }, "NATS_URL is not set: the broker's address, e.g. nats://broker:4222"],
    [{ NATS_URL: 'http://broker:4222' }, `NATS_URL ${BROKER}`],
    [{ NATS_URL: 'nats://clazz:hunter2@broker:4222' }, `NATS_URL ${BROKER}`],
    [{ NATS_URL: 'nats://a:4222,' }, `NATS_URL ${BROKER}`],
    [{ NATS_USER: 'clazz *' }, 'NATS_USER must be letters, digits, . - and _'],
    [
      { SIGNING_SECRET: 'hunter2' },
      'SIGNING_SECRET must have at least 32 characters; several by commas, each with as many',
    ],
    [
      { SIGNING_SECRET: `${least.SIGNING_SECRET},hunter2` },
      'SIGNING_SECRET must have at least 32 characters; several by commas, each with as many',
    ],
    [
      { SIGNING_SECRET: undefined },
      'SIGNING_SECRET is not set: at least 32 random characters, the same for all services',
    ],
    [{ CALLER_KEYS: SIGN_CALLER }, `CALLER_KEYS ${KEY}`],
    [{ CALLER_KEYS: `${VERIFY_CALLER},` }, `CALLER_KEYS ${KEY}`],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "loud"'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT is not an HTTP address, e.g. http://collector:4318',
    ],
    [{ DATABASE_URL: 'notaurl' }, `DATABASE_URL ${APP}`],
    [{ DATABASE_URL: 'postgres://hunter2@db' }, `DATABASE_URL ${APP}`],
    [{ DATABASE_URL: 'postgres://db:5432/hunter2' }, `DATABASE_URL ${APP}`],
    [
      { WORKER_DATABASE_URL: 'mysql://u:hunter2@db/x' },
      `WORKER_DATABASE_URL ${APP.replace('clazz_app', 'clazz_worker')}`,
    ],
    [{ MIGRATION_DATABASE_URL: 'hunter2' }, `MIGRATION_DATABASE_URL ${APP.replace('clazz_app', 'clazz_owner')}`],
    [
      { DATABASE_URL: 'postgres://u:hunter2@db/x?sslmode=require' },
      'DATABASE_URL must have disable or verify-full as its sslmode',
    ],
    [
      { DATABASE_URL: 'postgres://u:hunter2@db/x?sslrootcert=/ca.crt' },
      'DATABASE_URL has sslrootcert, which needs sslmode=verify-full',
    ],
    [
      { DATABASE_URL: 'postgres://u:hunter2@db/x?sslmode=verify-full&sslrootcert=/no/ca.crt' },
      'DATABASE_URL names in sslrootcert a file that cannot be read: /no/ca.crt',
    ],
    [
      { DATABASE_URL: `postgres://u:hunter2@db/x?sslmode=verify-full&sslcert=${SELF}` },
      'DATABASE_URL must have sslcert and sslkey, or neither',
    ],
    [{ DATABASE_PASSWORD: 'hunter2' }, 'DATABASE_PASSWORD must not be set together with a password in DATABASE_URL'],
    [{ MIGRATION_DATABASE_PASSWORD: 'hunter2' }, 'MIGRATION_DATABASE_PASSWORD is set without MIGRATION_DATABASE_URL'],
    [
      { NATS_PASSWORD: 'hunter2', NATS_NKEY_SEED: SEED },
      'NATS_NKEY_SEED must not be set together with NATS_PASSWORD: set only one of them',
    ],
    [{ NATS_NKEY_SEED: 'hunter2' }, 'NATS_NKEY_SEED must be the seed of a user: SU and 56 capital letters and digits'],
    [{ NATS_CREDS: 'hunter2' }, 'NATS_CREDS must be the content of a .creds file: a JWT of a user and its seed'],
    [{ NATS_CA: 'hunter2' }, 'NATS_CA must be certificates as PEM'],
    [{ NATS_KEY: 'hunter2' }, 'NATS_KEY must be a private key as PEM, without a passphrase'],
    [{ NATS_KEY: PEM_KEY }, 'NATS_CERT is not set: a certificate needs its key and a key its certificate'],
    [
      { NATS_URL: 'tls://127.0.0.1:4222' },
      'NATS_URL must contain host names, not IP addresses: the certificate is verified for a name',
    ],
    [{ DATABASE_POOL: 'many' }, 'DATABASE_POOL must be a whole number from 1 to 100, not "many"'],
    [{ DATABASE_LANES: '0' }, 'DATABASE_LANES must be a whole number from 1 to 50, not "0"'],
    [{ CONCURRENCY: '1e2' }, 'CONCURRENCY must be a whole number from 1 to 1000, not "1e2"'],
    [{ HEALTH_PORT: '65536' }, 'HEALTH_PORT must be a whole number from 0 to 65535, not "65536"'],
    [{ STREAM_REPLICAS: '6' }, 'STREAM_REPLICAS must be a whole number from 1 to 5, not "6"'],
    [
      { STREAM_MAX_BYTES: '1 GB' },
      'STREAM_MAX_BYTES must be a whole number from 1000000 to 1000000000000000, not "1 GB"',
    ],
    [{ CHECK_REPLIES: 'maybe' }, 'CHECK_REPLIES must be true or false, not "maybe"'],
  ])('reports %o in one line with the problem and the expected form, without a secret', (env, line) => {
    expect(problemLines(env)).toEqual([line]);
  });

  it('reports all missing and invalid settings at once', () => {
    const lines = problemLines({
      NATS_URL: '',
      SIGNING_SECRET: 'short',
      DATABASE_URL: undefined,
      DATABASE_POOL: 'many',
    });
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      'NATS_URL',
      'SIGNING_SECRET',
      'DATABASE_URL',
      'DATABASE_POOL',
    ]);
  });
});
