import pg from 'pg';
import type { Connection } from './connection.ts';
import type { Step } from './script.ts';
import type { StatementSeed } from './work.ts';

/** Rows stay as they come: what a client makes of them is not Postgres' work. */
const asTheyCome = { getTypeParser: () => (value: unknown) => value };

const connect = async ({ url, service, org }: StatementSeed): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${service}` });
  // What is asked next tells it.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`set role ${service}_app`);
  await client.query("select set_config('app.org_id', $1, false)", [org]);
  return client;
};

/** Sends one prepared statement; each connection of the load has one of its own to Postgres. */
export const askPostgres = (seed: StatementSeed): Step => {
  const clients = new Map<Connection, Promise<pg.Client>>();
  return async (connection) => {
    const connected = clients.get(connection) ?? connect(seed);
    clients.set(connection, connected);
    const { text, values } = seed;
    await (await connected).query({ name: 'statement', text, values, rowMode: 'array', types: asTheyCome });
  };
};
