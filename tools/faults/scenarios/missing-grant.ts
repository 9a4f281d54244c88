import { createLoad } from '../load.ts';
import { pause } from '../poll.ts';
import { putAside } from '../poison.ts';
import { type Scenario, settled, wellBefore } from '../scenario.ts';

const PRIVILEGES = `select table_name as name, string_agg(privilege_type, ', ') as rights
  from information_schema.role_table_grants
  where table_schema = 'stats' and table_name in ('lesson', 'clazz', 'marking') and grantee = 'stats_worker'
  group by table_name`;

/** Somebody forgot a grant and gives it 8 seconds later: that is no fault of any event. */
export const missingGrant: Scenario = {
  name: 'missing-grant',
  about: 'the worker of the statistics may not write some tables for 8 s',
  story: async (system, context) => {
    const load = await createLoad(system, { seed: context.seed });
    await load.during(1_000);
    await wellBefore(system, load);
    const { sql } = system.statsPostgres;
    const tables = await sql<{ name: string; rights: string }>(PRIVILEGES);
    if (tables.length === 0) throw new Error('no table of the statistics is known here: name others');
    load.start();
    for (const { name } of tables) await sql(`revoke all on stats."${name}" from stats_worker`);
    await pause(8_000);
    for (const { name, rights } of tables) await sql(`grant ${rights} on stats."${name}" to stats_worker`);
    await pause(1_000);
    await load.stop();
    const { ok, line } = await settled(system, load);
    const aside = await putAside(system);
    return { ok: ok && aside === 0, line: `${aside} put aside, ${line}` };
  },
};
