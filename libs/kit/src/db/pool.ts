import pg from 'pg';
import type { Logger } from 'pino';
import { type Address, addressOf, PasswordRefusedError, withEachPassword } from './address.ts';
import { watchConnection } from './connection-watchdog.ts';
import { type ClientOptions, DatabaseClient, type ConnectionSettings } from './database-client.ts';

const TIMESTAMPTZ = 1184;
const TIMESTAMP = 1114;
const DATE = 1082;
const INT8 = 20;
const INT8_ARRAY = 1016;
const DATE_ARRAY = 1182;

/** Length of an instant with all three decimals, the usual case, which needs no parsing. */
const WHOLE = '2026-11-20 18:06:00.123+00'.length;

/** `2026-11-20 18:06:00.123+00` → `2026-11-20T18:06:00.123Z`. Sessions run in UTC. */
export const toWireInstant = (value: string): string => {
  if (value.length === WHOLE && value.endsWith('+00')) return `${value.slice(0, 10)}T${value.slice(11, 23)}Z`;
  const at = `${value.slice(0, 10)}T${value.slice(11).replace(/\+00$/, '')}`;
  const dot = at.indexOf('.');
  return dot < 0 ? `${at}.000Z` : `${at.slice(0, dot)}${at.slice(dot).padEnd(4, '0').slice(0, 4)}Z`;
};

/** Parses an array such as `{1,2}` whose elements need no quotes. */
const parseArray = (value: string): string[] => value.slice(1, -1).split(',').filter(Boolean);

/** Converts values to their wire form: instants and dates as text, counts as numbers. */
const wireTypes = (): pg.TypeOverrides => {
  const types = new pg.TypeOverrides();
  types.setTypeParser(TIMESTAMPTZ, toWireInstant);
  types.setTypeParser(TIMESTAMP, (value) => value);
  types.setTypeParser(DATE, (value) => value);
  types.setTypeParser(INT8, Number);
  types.setTypeParser(DATE_ARRAY, parseArray);
  types.setTypeParser(INT8_ARRAY, (value) => parseArray(value).map(Number));
  return types;
};

/** Time limits of Postgres for a request, in milliseconds. A statement may run a little longer than callers wait. */
export const REQUEST_LIMITS_MS = { statement: 15_000, lock: 3_000, idle_in_transaction: 10_000 };

/**
 * How long Postgres works on a statement, waits for a frozen process that holds locks, and keeps a connection whose
 * other end does not answer. Callers have their own deadline; see `watchConnection`.
 */
const SETTINGS: ConnectionSettings = {
  timezone: 'UTC',
  // Statements are short. Compiling them or using parallel workers would slow down others.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // One plan for all parameter values; the tests of growth check these plans. Otherwise Postgres plans some statements
  // at each call.
  plan_cache_mode: 'force_generic_plan',
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: `${REQUEST_LIMITS_MS.idle_in_transaction}ms`,
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
};

/**
 * Only a transaction that asks for it can write. So nothing is stored if its `begin` fails, although Postgres runs the
 * statements after it.
 */
export const READ_ONLY: ConnectionSettings = { default_transaction_read_only: 'on' };

export const REQUEST_SETTINGS: ConnectionSettings = {
  statement_timeout: `${REQUEST_LIMITS_MS.statement}ms`,
  lock_timeout: `${REQUEST_LIMITS_MS.lock}ms`,
};

/** The options of every connection. `settings` adds to the common settings or replaces them. */
export const connectionOptions = (
  address: Address,
  name: string,
  settings: ConnectionSettings = {},
): ClientOptions => ({
  address,
  application_name: name,
  types: wireTypes(),
  connectionTimeoutMillis: 5_000,
  settings: { ...SETTINGS, ...settings },
});

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** Tries the next password when one is refused, so that callers of `connect` do not notice. */
class DatabasePool extends pg.Pool {
  readonly #address: Address;

  constructor(options: pg.PoolConfig, address: Address) {
    super(options);
    this.#address = address;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    if (callback === undefined) return withEachPassword(this.#address, () => super.connect());
    const attempt = (left: number): void =>
      super.connect((error, client, done) => {
        if (error instanceof PasswordRefusedError && left > 1) attempt(left - 1);
        else callback(error, client, done);
      });
    return attempt(addressOf(this.#address).maxAttempts);
  }
}

/** A pool of connections for reads and transactions. A lost connection is replaced when the next one is needed. */
export const createPool = (
  address: Address,
  max: number,
  name: string,
  log: Logger,
  settings?: ConnectionSettings,
): pg.Pool => {
  const logLost = (error: Error): void => log.warn({ err: error }, 'database connection lost');
  const options = connectionOptions(address, name, { ...READ_ONLY, ...settings });
  class Client extends DatabaseClient {
    constructor() {
      super(options);
    }
  }
  const pool = new DatabasePool(
    { max, idleTimeoutMillis: 60_000, connectionTimeoutMillis: options.connectionTimeoutMillis, Client },
    address,
  );
  // The connection itself logs it.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.once('error', logLost);
    if (client instanceof DatabaseClient) watchConnection(client);
  });
  return pool;
};
