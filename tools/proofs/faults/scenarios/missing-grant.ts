import { createLoad } from '../load.ts';
import { pause } from '../../system/poll.ts';
import { deadLetters, tablesOfStudents } from '../poison-events.ts';
import { type Scenario, checkAtEnd, requireHealthy } from '../scenario.ts';

const RIGHTS = `select string_agg(privilege_type, ', ') as rights from information_schema.role_table_grants
  where format('%I.%I', table_schema, table_name) = $1 and grantee = 'stats_worker'`;

/** Somebody forgot a grant and gives it 8 seconds later: that is no fault of any event. */
export const missingGrant: Scenario = {
  name: 'missing-grant',
  about: 'the worker of the statistics may not write some tables for 8 s',
  story: async (system, context) => {
    const load = await createLoad(system, { seed: context.seed });
    await load.during(1_000);
    await requireHealthy(system, load);
    const { sql } = system.statsPostgres;
    const rights = new Map<string, string>();
    for (const name of await tablesOfStudents(system)) {
      const [row] = await sql<{ rights: string | null }>(RIGHTS, [name]);
      if (row?.rights != null) rights.set(name, row.rights);
    }
    load.start();
    for (const name of rights.keys()) await sql(`revoke all on ${name} from stats_worker`);
    await pause(8_000);
    for (const [name, given] of rights) await sql(`grant ${given} on ${name} to stats_worker`);
    await pause(1_000);
    await load.stop();
    const { ok, line } = await checkAtEnd(system, load);
    const aside = await deadLetters(system);
    return { ok: ok && aside === 0, line: `${aside} dead letters, ${line}` };
  },
};
