import pg from 'pg';
import type { Recorded } from '../load/work.ts';

/** As many connections as a service has, for transactions and reads together. */
export const poolOf = (service: string): pg.Pool => {
  const options = `-c search_path=${service},public`;
  const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 16, options });
  // A connection that the server ends is replaced when it is needed.
  pool.on('error', () => undefined);
  return pool;
};

const pools = new Map<string, pg.Pool>();
const known = new Map<string, Recorded>();

const keyOf = ({ token, path }: Pick<Recorded, 'token' | 'path'>): string => `${token} ${path}`;

export const learn = (requests: readonly Recorded[]): void => {
  for (const request of requests) known.set(keyOf(request), request);
};

const poolFor = (service: string): pg.Pool => {
  const pool = pools.get(service) ?? poolOf(service);
  pools.set(service, pool);
  return pool;
};

/** Sends what was recorded for a request; answers the rows of the last statement, or nothing when none was recorded. */
export const reply = async (token: string, path: string): Promise<{ items: unknown[] } | undefined> => {
  const request = known.get(keyOf({ token, path }));
  if (request === undefined) return undefined;
  let items: unknown[] = [];
  for (const { service, ...query } of request.statements) items = (await poolFor(service).query(query)).rows;
  return { items };
};
