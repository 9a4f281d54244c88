import { randomUUID } from 'node:crypto';
import { p } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { SharedReads } from '../src/db/shared-reads.ts';
import { always, createLogger, statement } from '../src/index.ts';

const SLEEP = statement('select 1 as woken from pg_sleep($1)', { woken: always(p.integer()) });
const ORG = statement("select current_setting('app.org_id') as org", { org: always(p.text()) });
const NAME = 'shared reads of a test';

let fixture: Fixture;
let reads: SharedReads;
beforeAll(async () => {
  fixture = await startFixture({ services: [] });
  reads = new SharedReads(fixture.envFor('course')['DATABASE_URL'] ?? '', 1, NAME, createLogger('test', 'silent'));
});
afterAll(async () => {
  await reads?.end();
  await fixture?.stop();
});

const orgSeenBy = async (org: string): Promise<string | undefined> =>
  (await reads.query<{ org: string }>(org, ORG, [])).rows[0]?.org;

it('each see the org they were sent for, in one packet with those of other orgs', async () => {
  const orgs = Array.from({ length: 20 }, () => randomUUID());
  expect(await Promise.all(orgs.map(orgSeenBy))).toEqual(orgs);
});

it('fail together when their connection is lost, and the next ones get another', async () => {
  const lost = [randomUUID(), randomUUID()].map((org) => reads.query(org, SLEEP, [30]));
  const outcomes = Promise.allSettled(lost);
  await expect
    .poll(() =>
      fixture.sql('select pg_terminate_backend(pid) as done from pg_stat_activity where application_name = $1', [NAME]),
    )
    .toEqual([{ done: true }]);
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const org = randomUUID();
  expect(await orgSeenBy(org)).toBe(org);
});
