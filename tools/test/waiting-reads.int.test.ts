import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clazzCalls, statsCalls } from '../../libs/contracts/src/index.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { peopleOf } from './people.ts';

let fixture: Fixture;
const { supervisor } = peopleOf(() => fixture);
beforeAll(async () => {
  fixture = await startFixture({ env: { DATABASE_POOL: '1', DATABASE_LANES: '1' } });
});
afterAll(() => fixture?.stop());

it('a read waits two seconds at most for a write that does not come, and keeps nobody else waiting', async () => {
  await fixture.sql('revoke update on stats.follower_position from stats_worker');
  const { headers } = await supervisor().answer(clazzCalls.create, { body: { name: 'A', lead_teacher_id: 'lee' } });
  const token = { 'x-consistency-token': headers.get('x-consistency-token') ?? '' };
  const begun = performance.now();
  let answered = 0;
  const wait = async (): Promise<boolean> => {
    const { included } = await supervisor().ok(statsCalls.orgOverview, {}, token);
    answered += 1;
    return included;
  };
  const waiting = Array.from({ length: 8 }, wait);
  await sleep(300);
  // The one connection for reads is free: those who wait hold none.
  expect((await supervisor().ok(statsCalls.orgOverview)).included).toBe(true);
  expect(answered).toBe(0);
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => false));
  expect(performance.now() - begun).toBeGreaterThan(1_900);
  expect(performance.now() - begun).toBeLessThan(8_000);
});
