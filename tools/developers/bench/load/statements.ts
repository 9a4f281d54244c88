import pg from 'pg';
import type { Connection } from './connection.ts';
import type { Script } from './script.ts';
import type { Recorded, StatementSeed } from './work.ts';

/** Rows stay as they come: what a client makes of them is not Postgres' work. */
const asTheyCome = { getTypeParser: () => (value: unknown) => value };

const connect = async (url: string, service: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${service},public` });
  // What is asked next tells it.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`set role ${service}_app`);
  return client;
};

/** What one connection of the load has to Postgres: a connection for each service, bound to one org after the other. */
const sender = (url: string) => {
  const clients = new Map<string, { client: Promise<pg.Client>; org: string }>();
  const clientOf = async (service: string, org: string): Promise<pg.Client> => {
    const known = clients.get(service) ?? { client: connect(url, service), org: '' };
    clients.set(service, known);
    const client = await known.client;
    if (known.org !== org) await client.query("select set_config('app.org_id', $1, false)", [org]);
    known.org = org;
    return client;
  };
  return async ({ org, statements }: Recorded): Promise<void> => {
    for (const { service, name, text, values } of statements) {
      const client = await clientOf(service, org);
      await client.query({ name, text, values, rowMode: 'array', types: asTheyCome });
    }
  };
};

/** The requests of each org in turn; `home` tells which org's. Those that are sent once are taken from others in the end. */
export const queueOf = ({ requests, isOnce }: Pick<StatementSeed, 'requests' | 'isOnce'>) => {
  const orgs = [...Map.groupBy(requests, ({ org }) => org).values()].map((all) => ({ all, sent: 0 }));
  const from = (home: number) => [...orgs.slice(home % orgs.length), ...orgs.slice(0, home % orgs.length)];
  const next = (home: number): Recorded => {
    const one = from(home).find(({ all, sent }) => !isOnce || sent < all.length);
    const request = one?.all[one.sent++ % one.all.length];
    if (request === undefined) throw new Error('No statements are left to send');
    return request;
  };
  return { next, left: () => orgs.reduce((sum, { all, sent }) => sum + all.length - sent, 0) };
};

/** Sends what services sent for requests, one statement after the other; each connection stays with an org as long as it can. */
export const askPostgres = (seed: StatementSeed): Script => {
  const { next, left } = queueOf(seed);
  const senders = new Map<Connection, () => Promise<void>>();
  const start = (home: number): (() => Promise<void>) => {
    const send = sender(seed.url);
    return () => send(next(home));
  };
  const step: Script['step'] = async (connection) => {
    const send = senders.get(connection) ?? start(senders.size);
    senders.set(connection, send);
    await send();
  };
  return seed.isOnce ? { step, left } : { step };
};
