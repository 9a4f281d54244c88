import { escapeIdentifier, Client } from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { SERVICES, type ServiceName } from '../../../libs/contracts/src/registry.ts';
import { addressOf } from '../../../libs/kit/src/db/address.ts';
import { databaseFault } from '../../../libs/kit/src/db/database-fault.ts';

const DEADLOCK = '40P01';
const TRIES = 5;

/** Connects as the role that prepares the database, a member of each schema's owner. */
export const asAdmin = async <T>(adminUrl: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ ...addressOf(adminUrl).nextLogin().options, application_name: 'organization' });
  // A lost connection also fails the query in progress, which reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query("set timezone = 'UTC'; set datestyle = 'ISO'; set bytea_output = 'hex'");
    return await work(client);
  } finally {
    await client.end();
  }
};

/**
 * Binds the following statements of a transaction to a schema's owner and one organization: row-level security then shows and
 * removes rows of no other one, whatever a statement says.
 */
export const bindOwner = async (client: Client, service: ServiceName, org: string): Promise<void> => {
  await client.query(`set local role ${escapeIdentifier(`${service}_owner`)}`);
  await client.query("select set_config('app.org_id', $1, true), set_config('search_path', $2, true)", [
    org,
    `${service}, public`,
  ]);
};

/** Runs one transaction as a schema's owner, bound to an organization. Repeats it after a deadlock. */
export const asOwner = async <T>(
  client: Client,
  service: ServiceName,
  org: string,
  work: () => Promise<T>,
): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    await client.query('begin');
    try {
      await bindOwner(client, service, org);
      const result = await work();
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      if (tries === TRIES || databaseFault(error)?.code !== DEADLOCK) throw error;
    }
  }
};

const ROLES = SERVICES.flatMap((service) => [`${service}_app`, `${service}_worker`]);
/** Every role can see open transactions by the lock that each has on itself. */
const OPEN = `
  select l.pid || ' ' || l.virtualtransaction as id from pg_locks as l join pg_stat_activity as a using (pid)
  where l.locktype = 'virtualxid' and l.mode = 'ExclusiveLock' and l.granted
    and a.datname = current_database() and a.usename = any ($1)`;
const LOOK_MS = 50;

/**
 * Resolves when every currently open transaction of a service has ended: later ones see everything that was committed before.
 * Rejects when one stays open longer than a request may take.
 */
export const waitForOpenTransactions = async (client: Client, patience_ms = 60_000): Promise<void> => {
  const open = async (): Promise<string[]> =>
    (await client.query<{ id: string }>(OPEN, [ROLES])).rows.map(({ id }) => id);
  const end = Date.now() + patience_ms;
  let earlier = await open();
  while (earlier.length > 0) {
    if (Date.now() > end) throw new Error(`A transaction of a service does not end: process ${earlier.join(', ')}`);
    await pause(LOOK_MS);
    const now = new Set(await open());
    earlier = earlier.filter((id) => now.has(id));
  }
};
