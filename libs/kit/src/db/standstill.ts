import { setTimeout } from 'node:timers/promises';
import { p } from '@mikro-orm/postgresql';
import type { DatabaseClient } from './client.ts';
import { bigint } from './columns.ts';
import { rows } from './rows.ts';
import { always } from './shape.ts';
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

/** Rejects, naming them, while sessions of a service's instances are open: what comes cannot run beside them. */
export const requireStandstill = async (client: DatabaseClient, service: string, name: string): Promise<void> => {
  for (const end = Date.now() + WITHIN_MS; ; await setTimeout(AGAIN_MS)) {
    const found = await rows(client, SESSIONS, [`${service}_app`, `${service}_worker`]);
    if (found.length === 0) return;
    if (Date.now() < end) continue;
    const which = found.map((one) => `${one.sessions} of ${one.role} (${one.name || 'no name'})`).join(', ');
    throw new Error(
      `${name} cannot run while instances of ${service} do, and these sessions are open: ${which}. ` +
        `Nothing was changed. Stop all instances of all services, then run it again: docs/upgrade.md`,
    );
  }
};
