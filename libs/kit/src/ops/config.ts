import { z } from 'zod';
import { brokerConfig, oneBrokerLogin } from './broker-variables.ts';
import { ConfigError, type Env } from './config-error.ts';
import { databaseConfig, onePassword } from './database-variables.ts';
import { readContent, VariableSource, type RereadOptions } from './variable-source.ts';
import { isSecret, secretVariable } from './secret-variable.ts';
import { httpUrl, oneOf, port, publicKeys, secrets, text, wholeNumber, yesOrNo } from './variables.ts';

export { ConfigError, type Env };

/**
 * One line for an invalid variable. An absent one is reported with its description, others with the message of their
 * schema.
 */
const lineOf = (schema: z.ZodObject, given: object, { code, path, message }: z.core.$ZodIssue): string => {
  const name = path.join('.');
  if (code !== 'invalid_type' || name in given) return `${name} ${message}`.trim();
  const field: unknown = schema.shape[name];
  const what = field instanceof z.ZodType ? field.description : undefined;
  return `${name} is not set${what === undefined ? '' : `: ${what}`}`;
};

/** Reads a secret from its variable or from the file named by `<NAME>_FILE`. A text as result is the problem. */
const secretIn = (env: Env, name: string, reading: RereadOptions): VariableSource | string | undefined => {
  const [value, file] = [env[name], env[`${name}_FILE`]];
  if (!file) return value ? new VariableSource(name, value, reading) : undefined;
  if (value) return `${name} and ${name}_FILE are both set: set only one of them`;
  const content = readContent(file);
  return 'wrong' in content ? `${name}_FILE ${content.wrong}` : new VariableSource(name, content.value, reading, file);
};

const ONCE: RereadOptions = { clock: () => performance.now(), report: (trouble) => console.error(trouble) };

/**
 * Reads the variables of a schema from an environment. An empty value counts as absent. A secret may be given by
 * `<NAME>_FILE`. `reading.report` gets later problems with such a file.
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

/** Variables of every process that connects to the broker. */
export const busConfig = {
  ...brokerConfig,
  /** Authenticates cursors, consistency tokens and secret links. The first secret signs, all verify. */
  SIGNING_SECRET: secretVariable(secrets('at least 32 random characters, the same for all services', 32)),
  LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl(
    'the address to which traces and metrics are sent',
    'http://collector:4318',
  ).optional(),
  /** Port of the metrics in Prometheus format (`/metrics`); by default they are not served. */
  METRICS_PORT: port().optional(),
};

/** Variables of streams. */
export const streamConfig = {
  /** Copies of a stream in a cluster of brokers, used when the stream is created. */
  STREAM_REPLICAS: wholeNumber(1, 5).default(1),
  /**
   * Largest size of a stream in bytes; beyond it the oldest messages are removed. All streams together must fit into
   * the broker's storage.
   */
  STREAM_MAX_BYTES: wholeNumber(1_000_000, 1_000_000_000_000_000).default(1_000_000_000),
};

/** Further variables of every service with a schema. */
const serviceVariables = {
  ...busConfig,
  ...databaseConfig,
  DATABASE_POOL: wholeNumber(1, 100).default(10),
  /** Shared connections for reads outside transactions. */
  DATABASE_LANES: wholeNumber(1, 50).default(6),
  /** Calls handled at the same time. Further calls are queued, and refused if they would wait too long. */
  CONCURRENCY: wholeNumber(1, 1_000).default(64),
  /** Whether calls from the same process bypass the broker: for several services in one process. */
  IN_PROCESS_CALLS: yesOrNo().default(false),
  /** Address and port of the health checks over HTTP: `/health/live`, `/health/ready`. */
  HEALTH_HOST: text('the address on which health checks are answered').default('0.0.0.0'),
  HEALTH_PORT: port().default(8081),
  /**
   * Public keys of the gateway: only callers that it signed are served. Several keys while the gateway's key is
   * exchanged.
   */
  CALLER_KEYS: secretVariable(
    publicKeys("the public key of the gateway's CALLER_SEAL_KEY; several separated by commas"),
  ),
  ...streamConfig,
  /** Whether every response and event is checked against its contract. For development and tests. */
  CHECK_REPLIES: yesOrNo().default(false),
};

export const serviceConfig = z
  .object(serviceVariables)
  .superRefine(oneBrokerLogin)
  .superRefine(onePassword('DATABASE', 'WORKER_DATABASE', 'MIGRATION_DATABASE'));
