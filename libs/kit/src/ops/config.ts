import { z } from 'zod';
import { ConfigError, type Env } from './config-error.ts';
import {
  brokers,
  httpUrl,
  oneOf,
  port,
  postgresUrl,
  publicKeys,
  secrets,
  text,
  textLike,
  wholeNumber,
  yesOrNo,
} from './variables.ts';

export { ConfigError, type Env };

/** A variable that is absent says what it is for; another says by its own message what is wrong with it. */
const lineOf = (schema: z.ZodObject, given: Env, { code, path, message }: z.core.$ZodIssue): string => {
  const name = path.join('.');
  if (code !== 'invalid_type' || name in given) return `${name} ${message}`.trim();
  const field: unknown = schema.shape[name];
  const what = field instanceof z.ZodType ? field.description : undefined;
  return `${name} is not set${what === undefined ? '' : `: ${what}`}`;
};

/** Reads the variables a schema names from an environment. An empty value counts as absent. */
export const readConfig = <T extends z.ZodObject>(schema: T, env: Env): z.output<T> => {
  const given = Object.fromEntries(Object.keys(schema.shape).flatMap((key) => (env[key] ? [[key, env[key]]] : [])));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const lines = new Map<string, string>();
  for (const issue of result.error.issues) {
    const name = issue.path.join('.');
    if (!lines.has(name)) lines.set(name, lineOf(schema, given, issue));
  }
  throw new ConfigError([...lines.values()].join('\n'));
};

/** What every process on the bus needs. */
export const busConfig = {
  NATS_URL: brokers("the broker's address"),
  /** Part of subjects. */
  NATS_USER: textLike('the name to log in to the broker as', 'must be letters, digits, . - and _', (given) =>
    /^[\w.-]+$/.test(given),
  ).optional(),
  NATS_PASSWORD: text('the password of NATS_USER').optional(),
  /** Authenticates cursors, consistency tokens and secret links: the first signs, all verify. */
  SIGNING_SECRET: secrets('at least 32 characters that nobody can guess, the same for all services', 32),
  LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl('where traces and metrics go', 'http://collector:4318').optional(),
  /** Where metrics can be fetched (Prometheus' text, `/metrics`); nowhere by default. */
  METRICS_PORT: port().optional(),
};

/** Of streams. */
export const streamConfig = {
  /** Copies of a stream in a cluster of brokers, when it is made. */
  STREAM_REPLICAS: wholeNumber(1, 5).default(1),
  /** A stream's oldest messages go beyond this; all streams together have to fit into what the broker may store. */
  STREAM_MAX_BYTES: wholeNumber(1_000_000, 1_000_000_000_000_000).default(1_000_000_000),
};

/** What every service with a schema needs on top. */
export const serviceConfig = {
  ...busConfig,
  /** Bound to one org at a time by row-level security. */
  DATABASE_URL: postgresUrl('the database as the role of requests', 'postgres://clazz_app:…@db:5432/teaching'),
  /** Works for all orgs. */
  WORKER_DATABASE_URL: postgresUrl(
    'the database as the role of log, followers and jobs',
    'postgres://clazz_worker:…@db:5432/teaching',
  ),
  /** When given, pending migrations run at start. */
  MIGRATION_DATABASE_URL: postgresUrl(
    'the database as the owner of the schema',
    'postgres://clazz_owner:…@db:5432/teaching',
  ).optional(),
  DATABASE_POOL: wholeNumber(1, 100).default(10),
  /** Connections that reads outside transactions share. */
  DATABASE_LANES: wholeNumber(1, 50).default(6),
  /** Calls handled at the same time; further ones wait, and are shed when the wait is too long. */
  CONCURRENCY: wholeNumber(1, 1_000).default(64),
  /** Where the process says by HTTP how it is: `/health/live`, `/health/ready`. */
  HEALTH_HOST: text('the address to answer questions about health on').default('0.0.0.0'),
  HEALTH_PORT: port().default(8081),
  /** Only callers whom the gateway sealed are served; several while the gateway's key is exchanged. */
  CALLER_KEYS: publicKeys("the public half of the gateway's CALLER_SEAL_KEY; several by commas"),
  ...streamConfig,
  /** Check every answer and event against its contract. For development and tests. */
  CHECK_REPLIES: yesOrNo().default(false),
};
