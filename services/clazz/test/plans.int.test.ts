import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseFault } from '../../../libs/kit/src/index.ts';
import { declaredStatements } from '../../../libs/kit/src/db/statement.ts';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';

let fixture: Fixture;
let client: pg.Client;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz'] });
  client = new pg.Client({ connectionString: fixture.adminUrl });
  await client.connect();
  await client.query(`set search_path to clazz; set role clazz_app; set app.org_id to '${fixture.org}'`);
});
afterAll(async () => {
  await client?.end();
  await fixture?.stop();
});

interface Plan {
  'Node Type': string;
  Filter?: string;
  Plans?: Plan[];
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** The plan of a statement for the request role; none of what that role may not do, or of another service. */
const planOf = async (text: string): Promise<Plan[]> => {
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (generic_plan, format json) ${text}`,
    );
    return rows.flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan));
  } catch (error) {
    if (['42501', '42P01', '42704', '42703'].includes(databaseFault(error)?.code ?? '')) return [];
    throw error;
  }
};

/**
 * When a statement compares the org of a table with that of the rows it is given, row-level security lets the planner
 * filter those rows by the org, too, and expect one of them: then it goes through all of them for each row it finds.
 */
it('no statement lets row-level security filter the rows that it is given', async () => {
  const changing = declaredStatements().filter(({ text }) =>
    /^\s*(update|delete)\b.*json_populate_recordset/s.test(text),
  );
  const filtered: string[] = [];
  let planned = 0;
  for (const { text } of changing) {
    const nodes = await planOf(text);
    if (nodes.length > 0) planned += 1;
    if (nodes.some((node) => node['Node Type'] === 'Function Scan' && node.Filter !== undefined)) filtered.push(text);
  }
  expect(filtered).toEqual([]);
  expect(planned).toBeGreaterThan(10);
});
