import { createLoad } from '../load.ts';
import { pause } from '../../system/poll.ts';
import { countDeadLetters, tablesOfStudents } from '../poison-events.ts';
import { type Scenario, checkAtEnd, requireHealthy } from '../scenario.ts';

const PRIVILEGES = `select string_agg(privilege_type, ', ') as rights from information_schema.role_table_grants
  where format('%I.%I', table_schema, table_name) = $1 and grantee = 'stats_worker'`;

/** An administrator forgets a database grant and gives it 8 s later. No event may become a dead letter. */
export const missingGrant: Scenario = {
  name: 'missing-grant',
  about: 'the worker of the statistics lacks the grants on some tables for 8 s: no event becomes a dead letter',
  run: async (system, context) => {
    const load = await createLoad(system, { seed: context.seed });
    await load.writeFor(1_000);
    await requireHealthy(system, load);
    const { sql } = system.statsPostgres;
    const rights = new Map<string, string>();
    for (const name of await tablesOfStudents(system)) {
      const [row] = await sql<{ rights: string | null }>(PRIVILEGES, [name]);
      if (row?.rights != null) rights.set(name, row.rights);
    }
    load.start();
    for (const name of rights.keys()) await sql(`revoke all on ${name} from stats_worker`);
    await pause(8_000);
    for (const [name, privileges] of rights) await sql(`grant ${privileges} on ${name} to stats_worker`);
    await pause(1_000);
    await load.stop();
    const { ok, line } = await checkAtEnd(system, load);
    const letters = await countDeadLetters(system);
    return { ok: ok && letters === 0, line: `${letters} dead letters, ${line}` };
  },
};
