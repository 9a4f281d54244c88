import { z } from 'zod';

export type Env = Readonly<Record<string, string | undefined>>;

/** Thrown at start-up; names every variable that is missing or wrong, never its value. */
export class ConfigError extends Error {}

/** Reads the variables a schema names from an environment. An empty value counts as absent. */
export const readConfig = <T extends z.ZodObject>(schema: T, env: Env): z.output<T> => {
  const given = Object.fromEntries(Object.keys(schema.shape).flatMap((key) => (env[key] ? [[key, env[key]]] : [])));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new ConfigError(`configuration is not valid:\n${problems.join('\n')}`);
};

/** What every process on the bus needs. */
export const busConfig = {
  NATS_URL: z.string(),
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
  /** Authenticates cursors and consistency tokens; the same for all services. At least 32 characters. */
  SIGNING_SECRET: z.string().min(32),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().optional(),
};

/** What every service with a schema needs on top. */
export const serviceConfig = {
  ...busConfig,
  /** Role of the request path: bound to one org at a time by row-level security. */
  DATABASE_URL: z.string(),
  /** Role of the event machinery and jobs, which work for all orgs. */
  WORKER_DATABASE_URL: z.string(),
  /** Owner of the schema; when given, pending migrations run at start. */
  MIGRATION_DATABASE_URL: z.string().optional(),
  DATABASE_POOL: z.coerce.number().int().min(1).max(100).default(10),
  /** Connections that reads outside transactions share. */
  DATABASE_LANES: z.coerce.number().int().min(1).max(50).default(6),
  /** Calls handled at the same time; further ones wait, and are shed when the wait is too long. */
  CONCURRENCY: z.coerce.number().int().min(1).max(1000).default(64),
  /** Copies of this service's streams in a cluster of brokers, when it makes them. */
  STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  /** A stream's oldest messages go beyond this; all streams together have to fit into what the broker may store. */
  STREAM_MAX_BYTES: z.coerce.number().int().min(1_000_000).default(1_000_000_000),
  /** Check every answer and event against its contract. For development and tests. */
  CHECK_REPLIES: z.stringbool().default(false),
};
