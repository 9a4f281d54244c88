import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { IS_PROOF } from '../../../tools/proofs/test/proof-size.ts';
import { createProbe, type Probe } from './probe/probe.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';

const ENTRIES = IS_PROOF ? 1_000_000 : 100_000;
/** One in this many entries is of a followed kind. */
const FOLLOWED = 50;

let fixture: FixtureServiceSystem;
let probe: Probe;
beforeAll(async () => {
  fixture = await startFixtureService();
  probe = await createProbe(fixture);
}, 120_000);
afterAll(async () => {
  await probe?.stop();
  await fixture?.stop();
});

it(
  'a follower with a large lag catches up during live traffic, and applies each event once and in order',
  { timeout: 600_000 },
  async () => {
    const seed = await probe.create('seed');
    await expect.poll(() => fixture.sql('select 1 from course.log_waiting')).toEqual([]);
    // A long log, as of a busy source: copies of one event, most of them of a kind that is not followed.
    await fixture.sql(
      `with pattern as (select * from course.log_entry where log = 'domain' and aggregate_id = $1 limit 1)
     insert into course.log_entry (log, id, org_id, tx_id, type, aggregate_id, actor, request_id, happened_at, data)
     select 'domain', gen_random_uuid(), $2, gen_random_uuid(),
       case when n % ${FOLLOWED} = 0 then 'course.course.updated.v1' else 'course.daka.recorded.v1' end,
       p.aggregate_id, p.actor, p.request_id, now(), jsonb_set(p.data::jsonb, '{title}', to_jsonb(n::text))::json
     from pattern as p, generate_series(1, ${ENTRIES}) as n`,
      [seed, randomUUID()],
    );
    await expect.poll(() => fixture.sql('select 1 from course.log_waiting limit 1'), { timeout: 120_000 }).toEqual([]);
    await probe.start();
    let writes = 0;
    const traffic = { on: true };
    const writer = (async () => {
      while (traffic.on) {
        await probe.rename(seed, `live ${writes}`);
        writes += 1;
      }
    })();
    const position = async () =>
      Number((await fixture.sql<{ no: string }>("select no from stats.follower_position where log = 'course'"))[0]?.no);
    await expect.poll(position, { timeout: 500_000, interval: 500 }).toBeGreaterThan(ENTRIES);
    traffic.on = false;
    await writer;
    const summary = async () =>
      (
        await fixture.sql<{ n: number; places: number; sorted: boolean }>(`
      select count(*)::int as n, count(distinct place)::int as places,
        bool_and(place > coalesce(before, 0)) as sorted
      from (select place, lag(place) over (order by n) as before from stats.probe) as p`)
      )[0];
    const expected = ENTRIES / FOLLOWED + 1 + writes;
    await expect.poll(async () => (await summary())?.n).toBe(expected);
    expect(await summary()).toEqual({ n: expected, places: expected, sorted: true });
    expect(await probe.deadLetters()).toEqual([]);
  },
);
