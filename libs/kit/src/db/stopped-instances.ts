import { setTimeout } from 'node:timers/promises';
import { addressOf } from './address.ts';
import { notNull, bigint, p } from './columns.ts';
import { DatabaseClient, queryRows } from './database-client.ts';
import { databaseFault } from './database-fault.ts';
import { requiresStoppedInstances } from './migration.ts';
import { connectionOptions } from './pool.ts';
import { statement } from './statement.ts';

/** Sessions of the database roles of a service's instances. */
const SESSIONS = statement(
  `select usename::text as role, application_name as name, count(*) as sessions from pg_stat_activity
   where datname = current_database() and usename = any ($1::text[]) group by 1, 2 order by 1, 2`,
  { role: notNull(p.text()), name: notNull(p.text()), sessions: notNull(bigint()) },
);
/** An instance that was just stopped may take this long to close its sessions. */
const STOP_TIMEOUT_MS = 3_000;
const RETRY_MS = 250;
/** The table or schema does not exist, or the login may not read it. */
const NOT_THERE = new Set(['42P01', '3F000', '42501']);

/**
 * Rejects if a pending migration requires stopped instances and sessions of the service's instances are open. The
 * message lists the sessions.
 */
export const requireStoppedInstances = async (
  client: DatabaseClient,
  service: string,
  applied: ReadonlySet<string>,
  wanted: readonly string[],
): Promise<void> => {
  const alone = wanted.find((name) => requiresStoppedInstances(name) && !applied.has(name));
  if (alone === undefined || applied.size === 0) return;
  for (const end = Date.now() + STOP_TIMEOUT_MS; ; await setTimeout(RETRY_MS)) {
    const found = await queryRows(client, SESSIONS, [`${service}_app`, `${service}_worker`]);
    if (found.length === 0) return;
    if (Date.now() < end) continue;
    const which = found.map((one) => `${one.sessions} of ${one.role} (${one.name || 'no name'})`).join(', ');
    throw new Error(
      `${alone} cannot run while instances of ${service} do, and these sessions are open: ${which}. ` +
        `Nothing was changed. Stop all instances of all services, then run it again: docs/upgrade.md`,
    );
  }
};

/** The applied migrations that this login can see. If it cannot read them, the check as the owner follows later. */
const appliedIn = async (client: DatabaseClient, service: string): Promise<Set<string>> => {
  try {
    const { rows: found } = await client.execute<{ name: string }>({
      text: `select name from ${service}.schema_migration`,
    });
    return new Set(found.map(({ name }) => name));
  } catch (error) {
    if (NOT_THERE.has(databaseFault(error)?.code ?? '')) return new Set();
    throw error;
  }
};

/** The same check before anything is changed, with the login that prepares the database. */
export const checkBeforeMigration = async (
  admin: string,
  service: string,
  wanted: readonly string[],
): Promise<void> => {
  const client = new DatabaseClient(connectionOptions(addressOf(admin), `${service} migration`));
  await client.connect();
  try {
    await requireStoppedInstances(client, service, await appliedIn(client, service), wanted);
  } finally {
    await client.end();
  }
};
