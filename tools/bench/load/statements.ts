import pg from 'pg';
import type { Connection } from './connection.ts';
import type { Step } from './script.ts';
import { turns } from './turns.ts';
import type { Recorded, StatementSeed } from './work.ts';

/** Rows stay as they come: what a client makes of them is not Postgres' work. */
const asTheyCome = { getTypeParser: () => (value: unknown) => value };

const connect = async (url: string, service: string, org: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${service},public` });
  // What is asked next tells it.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`set role ${service}_app`);
  await client.query("select set_config('app.org_id', $1, false)", [org]);
  return client;
};

/** What one connection of the load has to Postgres: a connection for each service, all bound to one org, whose requests it replays. */
const replayer = (url: string, requests: readonly Recorded[]) => {
  const next = turns(requests);
  const clients = new Map<string, Promise<pg.Client>>();
  const clientOf = (service: string, org: string): Promise<pg.Client> => {
    const client = clients.get(service) ?? connect(url, service, org);
    clients.set(service, client);
    return client;
  };
  return async (): Promise<void> => {
    const { org, statements } = next();
    for (const { service, name, text, values } of statements) {
      const client = await clientOf(service, org);
      await client.query({ name, text, values, rowMode: 'array', types: asTheyCome });
    }
  };
};

/** Sends what services sent for requests, one statement after the other. */
export const askPostgres = ({ url, requests }: StatementSeed): Step => {
  const ofOneOrg = turns([...Map.groupBy(requests, ({ org }) => org).values()]);
  const replayers = new Map<Connection, () => Promise<void>>();
  return async (connection) => {
    const replay = replayers.get(connection) ?? replayer(url, ofOneOrg());
    replayers.set(connection, replay);
    await replay();
  };
};
