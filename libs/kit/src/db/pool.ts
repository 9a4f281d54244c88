import pg from 'pg';
import type { Logger } from 'pino';

const TIMESTAMPTZ = 1184;
const TIMESTAMP = 1114;
const DATE = 1082;
const INT8 = 20;
const INT8_ARRAY = 1016;
const DATE_ARRAY = 1182;

/** `2026-11-20 18:06:00.123+00` → `2026-11-20T18:06:00.123Z`. Sessions run in UTC. */
const instant = (value: string): string => {
  const at = `${value.slice(0, 10)}T${value.slice(11).replace(/\+00$/, '')}`;
  const dot = at.indexOf('.');
  return dot < 0 ? `${at}.000Z` : `${at.slice(0, dot)}${at.slice(dot).padEnd(4, '0').slice(0, 4)}Z`;
};

/** `{1,2}` of things that need no quotes. */
const list = (value: string): string[] => value.slice(1, -1).split(',').filter(Boolean);

/** Rows come out of Postgres as they go over the wire: instants and dates as text, counts as numbers. */
const wireTypes = (): pg.TypeOverrides => {
  const types = new pg.TypeOverrides();
  types.setTypeParser(TIMESTAMPTZ, instant);
  types.setTypeParser(TIMESTAMP, (value) => value);
  types.setTypeParser(DATE, (value) => value);
  types.setTypeParser(INT8, Number);
  types.setTypeParser(DATE_ARRAY, list);
  types.setTypeParser(INT8_ARRAY, (value) => list(value).map(Number));
  return types;
};

const SETTINGS = 'timezone=UTC statement_timeout=30000 idle_in_transaction_session_timeout=60000';

/** Every connection pipelines: statements are sent without waiting for the one before. */
export const connectionOptions = (
  url: string,
  name: string,
  settings = '',
): pg.ClientConfig & { pipeline: boolean } => ({
  connectionString: url,
  application_name: name,
  types: wireTypes(),
  pipeline: true,
  connectionTimeoutMillis: 5_000,
  options: `${SETTINGS} ${settings}`
    .trim()
    .split(' ')
    .map((setting) => `-c ${setting}`)
    .join(' '),
});

/** `settings`: further settings of Postgres for these connections, `name=value`, by blanks. */
export const createPool = (url: string, max: number, name: string, log: Logger, settings?: string): pg.Pool => {
  const pool = new pg.Pool({ ...connectionOptions(url, name, settings), max, idleTimeoutMillis: 60_000 });
  pool.on('error', (error) => log.warn({ err: error }, 'database connection lost'));
  pool.on('connect', (client) => client.on('error', (error) => log.warn({ err: error }, 'database connection lost')));
  return pool;
};
