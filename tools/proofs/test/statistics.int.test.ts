import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clazzCalls, statsCalls } from '../../../libs/contracts/src/index.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { peopleOf } from './people.ts';
import { expectOk } from './expect-answers.ts';

let fixture: Fixture;
const { supervisor } = peopleOf(() => fixture);
beforeAll(async () => {
  fixture = await startFixture({ env: { DATABASE_POOL: '1', DATABASE_LANES: '1' } });
});
afterAll(() => fixture?.stop());

/** Creates a class and returns the consistency header for a read that must include it. */
const tokenOfClass = async (name: string) => {
  const { headers } = await supervisor().answer(clazzCalls.createClazz, { body: { name, lead_teacher_id: 'lee' } });
  return { 'x-consistency-token': headers.get('x-consistency-token') ?? '' };
};

describe('A read with the token of a write', () => {
  it('waits at most two seconds for a missing event, and other reads do not wait', async () => {
    await fixture.sql('revoke update on stats.follower_position from stats_worker');
    const token = await tokenOfClass('A');
    const begun = performance.now();
    let answered = 0;
    const wait = async (): Promise<boolean> => {
      const { included } = await supervisor().ok(statsCalls.getOrganizationStats, {}, token);
      answered += 1;
      return included;
    };
    const waiting = Array.from({ length: 8 }, wait);
    await sleep(300);
    // Waiting reads hold no connection, so the only one is free.
    expect((await supervisor().ok(statsCalls.getOrganizationStats)).included).toBe(true);
    expect(answered).toBe(0);
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => false));
    expect(performance.now() - begun).toBeGreaterThan(1_900);
    await fixture.sql('grant update on stats.follower_position to stats_worker');
  });

  it('is answered as not included while its event is a dead letter', async () => {
    await fixture.sql(`
      create function stats.spoil() returns trigger language plpgsql as $$ begin
        if new.name = 'poison' then raise exception 'spoiled'; end if;
        return new;
      end $$;
      create trigger spoil before insert or update on stats.clazz for each row execute function stats.spoil()`);
    const token = await tokenOfClass('poison');
    const dead = () => fixture.sql('select 1 from stats.dead_letter where replayed_at is null');
    await expect.poll(dead).toHaveLength(1);
    expect((await supervisor().ok(statsCalls.getOrganizationStats, {}, token)).included).toBe(false);
    expect((await supervisor().ok(statsCalls.getOrganizationStats, {}, await tokenOfClass('sound'))).included).toBe(
      true,
    );
    await fixture.sql('drop trigger spoil on stats.clazz');
  });
});

it('a range has at most 400 slices, and its series has a row for each', async () => {
  const overview = (to: string) => supervisor().get(`/clazz/stats/org-overview?from=2025-01-01&to=${to}&unit=day`);
  const { series } = expectOk(await overview('2026-02-04'), 200);
  expect(series).toHaveLength(400);
  const { status, body } = await overview('2026-02-05');
  expect(status).toBe(400);
  expect(body).toMatchObject({
    errors: [{ path: '/query/to', message: 'must leave at most 400 days in the range' }],
  });
});
