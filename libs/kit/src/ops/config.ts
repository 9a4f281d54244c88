import { z } from 'zod';
import { brokerConfig, oneBrokerLogin } from './broker-variables.ts';
import { ConfigError, type Env } from './config-error.ts';
import { databaseConfig, onePassword } from './database-variables.ts';
import { readContent, VariableSource, type RereadOptions } from './variable-source.ts';
import { isSecret, secretVariable } from './secret-variable.ts';
import { httpUrl, oneOf, port, publicKeys, secrets, text, wholeNumber, yesOrNo } from './variables.ts';

export { ConfigError, type Env };

/** A variable that is absent says what it is for; another says by its own message what is wrong with it. */
const lineOf = (schema: z.ZodObject, given: object, { code, path, message }: z.core.$ZodIssue): string => {
  const name = path.join('.');
  if (code !== 'invalid_type' || name in given) return `${name} ${message}`.trim();
  const field: unknown = schema.shape[name];
  const what = field instanceof z.ZodType ? field.description : undefined;
  return `${name} is not set${what === undefined ? '' : `: ${what}`}`;
};

/** What the environment says of a secret, by itself or by the name of a file; a text is what is wrong with it. */
const secretIn = (env: Env, name: string, reading: RereadOptions): VariableSource | string | undefined => {
  const [value, file] = [env[name], env[`${name}_FILE`]];
  if (!file) return value ? new VariableSource(name, value, reading) : undefined;
  if (value) return `${name} and ${name}_FILE are both set: give one of them`;
  const content = readContent(file);
  return 'wrong' in content ? `${name}_FILE ${content.wrong}` : new VariableSource(name, content.value, reading, file);
};

const ONCE: RereadOptions = { clock: Date.now, tell: (trouble) => console.error(trouble) };

/**
 * Reads the variables a schema names from an environment. An empty value counts as absent. Secrets may be given by
 * `<NAME>_FILE`; `reading.tell` hears later what is wrong with such a file then.
 */
export const readConfig = <T extends z.ZodObject>(
  schema: T,
  env: Env,
  reading: Partial<RereadOptions> = {},
): z.output<T> => {
  const lines = new Map<string, string>();
  const given: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    const found = isSecret(field) ? secretIn(env, name, { ...ONCE, ...reading }) : env[name];
    if (typeof found === 'string' && isSecret(field)) lines.set(name, found);
    else if (found) given[name] = found;
  }
  const result = schema.safeParse(given);
  for (const issue of result.error?.issues ?? []) {
    const name = issue.path.join('.');
    if (!lines.has(name)) lines.set(name, lineOf(schema, given, issue));
  }
  if (result.success && lines.size === 0) return result.data;
  throw new ConfigError([...lines.values()].join('\n'));
};

/** What every process on the bus needs. */
export const busConfig = {
  ...brokerConfig,
  /** Authenticates cursors, consistency tokens and secret links: the first signs, all verify. */
  SIGNING_SECRET: secretVariable(
    secrets('at least 32 characters that nobody can guess, the same for all services', 32),
  ),
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
const serviceVariables = {
  ...busConfig,
  ...databaseConfig,
  DATABASE_POOL: wholeNumber(1, 100).default(10),
  /** Connections that reads outside transactions share. */
  DATABASE_LANES: wholeNumber(1, 50).default(6),
  /** Calls handled at the same time; further ones wait, and are shed when the wait is too long. */
  CONCURRENCY: wholeNumber(1, 1_000).default(64),
  /** Whoever asks from the same process does so without the broker: for several services in one process. */
  IN_PROCESS_CALLS: yesOrNo().default(false),
  /** Where the process says by HTTP how it is: `/health/live`, `/health/ready`. */
  HEALTH_HOST: text('the address to answer questions about health on').default('0.0.0.0'),
  HEALTH_PORT: port().default(8081),
  /** Only callers whom the gateway sealed are served; several while the gateway's key is exchanged. */
  CALLER_KEYS: secretVariable(publicKeys("the public half of the gateway's CALLER_SEAL_KEY; several by commas")),
  ...streamConfig,
  /** Check every answer and event against its contract. For development and tests. */
  CHECK_REPLIES: yesOrNo().default(false),
};

export const serviceConfig = z
  .object(serviceVariables)
  .superRefine(oneBrokerLogin)
  .superRefine(onePassword('DATABASE', 'WORKER_DATABASE', 'MIGRATION_DATABASE'));
