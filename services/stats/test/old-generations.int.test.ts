import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { STATISTICS_TABLES } from './rebuild-statistics.ts';

const ROWS = 20_000;
/** Upper limit of the rows that one transaction deletes: 32 pages of 8 KB, and a row has more than 64 bytes. */
const MAX_ROWS = (32 * 8_192) / 64;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: [] });
});
afterAll(() => fixture?.stop());

const countByGeneration = async (table: string): Promise<Record<string, number>> => {
  const rows = await fixture.sql<{ gen: number; n: number }>(
    `select gen, count(*)::int as n from stats.${table} group by gen order by gen`,
  );
  return Object.fromEntries(rows.map(({ gen, n }) => [gen, n]));
};

it('deletes old generations from every table in small transactions, and no other rows', async () => {
  // Two old generations. The rows of the second one are between those of the current generation.
  await fixture.sql(`
    insert into stats.generation (gen, state) values (-2, 'old'), (-1, 'old');
    insert into stats.follower_position (follower, log, follows) values ('statistics -1', 'clazz', '{}');
    create table stats.removal (rows int);
    create function stats.note_removal() returns trigger security definer language plpgsql as $$
      begin insert into stats.removal select count(*) from gone having count(*) > 0; return null; end $$;
    create trigger note after delete on stats.roll_call referencing old table as gone
      for each statement execute function stats.note_removal();
    insert into stats.roll_call (org_id, gen, lesson_id, taken_at)
    select gen_random_uuid(), case when n <= ${ROWS / 2} then -2 when n % 2 = 0 then -1 else 1 end, gen_random_uuid(), now()
    from generate_series(1, ${ROWS}) n`);
  await fixture.startService('stats');
  const generations = async () => (await fixture.sql('select gen from stats.generation')).length;
  await expect.poll(generations, POLL_OPTIONS).toBe(1);
  expect(await countByGeneration('roll_call')).toEqual({ 1: ROWS / 4 });
  for (const table of STATISTICS_TABLES)
    expect(Object.keys(await countByGeneration(table)).filter((gen) => gen !== '1')).toEqual([]);
  expect(await fixture.sql("select from stats.follower_position where follower = 'statistics -1'")).toEqual([]);
  const [removal] = await fixture.sql<{ sum: number; most: number; pieces: number }>(
    'select sum(rows)::int as sum, max(rows) as most, count(*)::int as pieces from stats.removal',
  );
  expect(removal?.sum).toBe((ROWS / 4) * 3);
  expect(removal?.most).toBeLessThan(MAX_ROWS);
  expect(removal?.pieces).toBeGreaterThan(2);
});

it('a delete scans only its pages, not the whole table', async () => {
  await fixture.sql('analyze stats.roll_call');
  const plan = await fixture.sql<{ 'QUERY PLAN': string }>(
    `explain delete from stats.roll_call
     where gen = 1 and ctid >= format('(%s,0)', 5)::tid and ctid < format('(%s,0)', 9)::tid`,
  );
  expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('Tid Range Scan');
});
