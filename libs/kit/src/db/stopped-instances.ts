import { setTimeout } from 'node:timers/promises';
import { addressOf } from './address.ts';
import { always, bigint, p } from './columns.ts';
import { DatabaseClient, queryRows } from './database-client.ts';
import { databaseFault } from './database-fault.ts';
import { requiresStoppedInstances } from './migration.ts';
import { connectionOptions } from './pool.ts';
import { statement } from './statement.ts';

/** Sessions of the roles that instances work with. */
const SESSIONS = statement(
  `select usename::text as role, application_name as name, count(*) as sessions from pg_stat_activity
   where datname = current_database() and usename = any ($1::text[]) group by 1, 2 order by 1, 2`,
  { role: always(p.text()), name: always(p.text()), sessions: always(bigint()) },
);
/** Who was just stopped may take a moment. */
const WITHIN_MS = 3_000;
const AGAIN_MS = 250;
/** No such table or schema, or no right to look into it. */
const NOT_THERE = new Set(['42P01', '3F000', '42501']);

/** Rejects, naming them, while sessions of a service's instances are open and one of what is pending cannot run beside them. */
export const requireStoppedInstances = async (
  client: DatabaseClient,
  service: string,
  applied: ReadonlySet<string>,
  wanted: readonly string[],
): Promise<void> => {
  const alone = wanted.find((name) => requiresStoppedInstances(name) && !applied.has(name));
  if (alone === undefined || applied.size === 0) return;
  for (const end = Date.now() + WITHIN_MS; ; await setTimeout(AGAIN_MS)) {
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

/** What was applied, as far as this login may see it: whoever may not is the owner's to refuse. */
const appliedIn = async (client: DatabaseClient, service: string): Promise<Set<string>> => {
  try {
    const { rows: found } = await client.ask<{ name: string }>({
      text: `select name from ${service}.schema_migration`,
    });
    return new Set(found.map(({ name }) => name));
  } catch (error) {
    if (NOT_THERE.has(databaseFault(error)?.code ?? '')) return new Set();
    throw error;
  }
};

/** The same before anything else is touched, as whoever prepares the database. */
export const canMigrate = async (admin: string, service: string, wanted: readonly string[]): Promise<void> => {
  const client = new DatabaseClient(connectionOptions(addressOf(admin), `${service} migration`));
  await client.connect();
  try {
    await requireStoppedInstances(client, service, await appliedIn(client, service), wanted);
  } finally {
    await client.end();
  }
};
