import { courseEvents } from '@teaching/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventsOf, type FollowerDefinition, statement } from '../src/index.ts';
import type { Titled } from './probe/probe-app.ts';
import { createProbe, type Probe, restoreDatabase } from './probe/probe.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';

let fixture: FixtureServiceSystem;
let probe: Probe;
const STORE = statement('insert into kept (gen, event_id, aggregate_id, title, place) values ($1, $2, $3, $4, $5)');

/** Stores titles by generation. An event that is applied twice violates the primary key. */
const follower = (): FollowerDefinition => ({
  name: 'kept',
  follows: [courseEvents.courseCreated, courseEvents.courseUpdated],
  generations: true,
  apply: (batch) => {
    const titled: Titled[] = [
      ...eventsOf(batch, courseEvents.courseCreated),
      ...eventsOf(batch, courseEvents.courseUpdated),
    ].sort((a, b) => Number(a.sequence) - Number(b.sequence));
    return async (tx, gen) => {
      for (const one of titled) {
        tx.run(STORE, gen, one.id, one.subject, one.data.title, Number(one.sequence));
        probe.onEvent(one);
      }
    };
  },
});

const current = async (): Promise<number> =>
  (await fixture.sql<{ gen: number }>("select gen from stats.generation where state = 'current'"))[0]?.gen ?? 0;
const rebuild = () =>
  fixture.sql(
    "insert into stats.generation (gen, state, why) select max(gen) + 1, 'building', 'a test' from stats.generation",
  );
/**
 * `inLog`: the events of the log, once all have their numbers. `noted`: the titles that the current generation stored.
 */
const inLog = async () => {
  await expect.poll(() => fixture.sql('select 1 from course.log_waiting'), POLL_OPTIONS).toEqual([]);
  return fixture.sql(`select id as event_id, data ->> 'title' as title from course.log_numbered
    where log = 'domain' and type like 'course.course.%' order by no`);
};
const noted = async () =>
  fixture.sql(
    "select event_id, title from stats.kept where gen = (select gen from stats.generation where state = 'current') order by place",
  );

beforeAll(async () => {
  fixture = await startFixtureService();
  probe = await createProbe(fixture);
  await fixture.sql(`create table stats.kept (n serial, gen int, event_id uuid, aggregate_id text, title text, place bigint,
      primary key (gen, event_id));
    grant all on stats.kept to stats_worker; grant usage on sequence stats.kept_n_seq to stats_worker`);
});
afterAll(() => fixture?.stop());
beforeEach(() => probe.clear());
afterEach(() => probe.stop());

describe('A generation', () => {
  it('is built during live traffic, and becomes current when it is complete', async () => {
    await probe.start({ follower: follower() });
    const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => probe.create(`c${n}`)));
    const writing = { on: true };
    const writers = ids.slice(0, 4).map(async (id, n) => {
      for (let round = 0; writing.on; round += 1) await probe.rename(id, `w${n} ${round}`);
    });
    const old = await current();
    await rebuild();
    await expect.poll(current, POLL_OPTIONS).toBe(old + 1);
    writing.on = false;
    await Promise.all(writers);
    const events = await inLog();
    await expect.poll(noted, POLL_OPTIONS).toEqual(await inLog());
    expect(events.length).toBeGreaterThan(40);
  });

  it('that is built makes dead letters of failing events, as the current generation does', async () => {
    probe.onEvent = ({ data }) => {
      if (data.title === 'poison') throw new Error('cannot be applied');
    };
    await probe.start({ follower: follower() });
    const bad = await probe.create('poison');
    const good = await probe.create('fine');
    await probe.rename(bad, 'behind');
    await expect.poll(async () => (await probe.deadLetters()).length, POLL_OPTIONS).toBe(2);
    const old = await current();
    await rebuild();
    await expect.poll(current, POLL_OPTIONS).toBe(old + 1);
    const rows = (await noted()).map(({ title }) => title);
    expect(rows).toContain('fine');
    expect(rows).not.toContain('behind');
    expect(await probe.deadLetters()).toHaveLength(4);
    probe.onEvent = () => {};
    await probe.stop();
    await probe.start({ follower: follower() });
    await expect.poll(async () => (await noted()).map(({ title }) => title), POLL_OPTIONS).toContain('behind');
    expect(good).toBeDefined();
  });

  it('is replaced by a new one without a command if its source was restored to an older state', async () => {
    await probe.start({ follower: follower() });
    const id = await probe.create('kept');
    await expect.poll(noted, POLL_OPTIONS).toEqual(await inLog());
    await probe.rename(id, 'never happened');
    await expect.poll(async () => (await noted()).at(-1)?.title, POLL_OPTIONS).toBe('never happened');
    const old = await current();
    await restoreDatabase(fixture, 1);
    for (let n = 0; n < 3; n += 1) await probe.rename(id, `real ${n}`);
    await expect.poll(current, POLL_OPTIONS).toBeGreaterThan(old);
    await expect.poll(noted, POLL_OPTIONS).toEqual(await inLog());
    expect((await noted()).map(({ title }) => title)).not.toContain('never happened');
    const [row] = await fixture.sql<{ why: string }>("select why from stats.generation where state = 'current'");
    expect(row?.why).toContain('was restored to an earlier state');
  });

  it('is built again if it follows a kind of event for the first time, since it skipped earlier ones', async () => {
    const former = follower();
    await probe.start({ follower: { ...former, follows: [courseEvents.courseUpdated] } });
    const id = await probe.create('created before');
    await probe.rename(id, 'renamed');
    await expect.poll(async () => (await noted()).at(-1)?.title, POLL_OPTIONS).toBe('renamed');
    await probe.stop();
    const old = await current();
    await probe.start({ follower: follower() });
    await expect.poll(current, POLL_OPTIONS).toBeGreaterThan(old);
    await expect.poll(noted, POLL_OPTIONS).toEqual(await inLog());
    expect((await noted()).map(({ title }) => title)).toContain('created before');
  });

  it('skips erased events, whose numbers and chain of ids stay', async () => {
    await probe.start({ follower: follower() });
    const id = await probe.create('to be erased');
    await probe.rename(id, 'stays');
    await expect.poll(async () => (await noted()).at(-1)?.title, POLL_OPTIONS).toBe('stays');
    await fixture.sql("update course.log_entry set data = null where data ->> 'title' = 'to be erased'");
    const old = await current();
    await rebuild();
    await expect.poll(current, POLL_OPTIONS).toBeGreaterThan(old);
    await expect.poll(async () => (await noted()).at(-1)?.title, POLL_OPTIONS).toBe('stays');
    expect((await noted()).map(({ title }) => title)).not.toContain('to be erased');
  });
});
