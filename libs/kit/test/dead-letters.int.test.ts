import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { type ProcessResult, runCli } from '../../../tools/proofs/test/run-tool.ts';
import { probeApp } from './probe/probe-app.ts';
import { createProbe, type Probe } from './probe/probe.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';

let fixture: FixtureServiceSystem;
let probe: Probe;
/** The titles of events that cannot be applied. */
const poison = new Set<string>();

const tool = (...args: string[]): Promise<ProcessResult> => {
  const env = { NATS_URL: fixture.nats.url, NATS_ADMIN_PASSWORD: inject('stack').secrets.nats.admin };
  return runCli('dead-letters', env, ...args);
};
const waiting = async (): Promise<number> => (await probe.deadLetters()).length;
const { create, rename, titlesOf } = {
  create: (title: string) => probe.create(title),
  rename: (id: string, title: string) => probe.rename(id, title),
  titlesOf: (id: string) => probe.titlesOf(id),
};

beforeAll(async () => {
  fixture = await startFixtureService();
  probe = await createProbe(fixture);
});
afterAll(() => fixture?.stop());
beforeEach(async () => {
  poison.clear();
  await probe.clear();
  probe.onEvent = ({ data }) => {
    if (poison.has(data.title)) throw new Error(`cannot apply ${data.title}`);
  };
});
afterEach(() => probe.stop());

it('dead letters are listed and replayed in order after their cause is removed, and later events are applied without a command', async () => {
  poison.add('bad');
  await probe.start();
  const id = await create('bad');
  await rename(id, 'second');
  await rename(id, 'third');
  await expect.poll(waiting, POLL_OPTIONS).toBe(3);
  const listed = await tool('list', 'stats');
  expect(listed).toMatchObject({ code: 1, err: '' });
  expect(listed.out).toContain('cannot apply bad');
  expect(listed.out).toContain('3 dead letters wait.');

  const refused = await tool('replay', 'stats');
  expect([refused.code, refused.err]).toEqual([1, '0 replayed\n']);
  expect(await titlesOf(id)).toEqual([]);

  poison.clear();
  expect(await tool('replay', 'stats')).toMatchObject({
    code: 0,
    out: 'No dead letters wait.\n',
    err: '3 replayed\n',
  });
  expect(await titlesOf(id)).toEqual(['bad', 'second', 'third']);
  await rename(id, 'fourth');
  await expect.poll(() => titlesOf(id), POLL_OPTIONS).toEqual(['bad', 'second', 'third', 'fourth']);
  expect(await waiting()).toBe(0);
});

it('dead letters of other aggregates are replayed while one aggregate still fails', async () => {
  poison.add('bad').add('worse');
  await probe.start();
  const [good, still] = [await create('bad'), await create('worse')];
  await rename(still, 'behind');
  await expect.poll(waiting, POLL_OPTIONS).toBe(3);
  poison.delete('bad');
  expect((await tool('replay', 'stats')).code).toBe(1);
  expect([await titlesOf(good), await titlesOf(still)]).toEqual([['bad'], []]);
});

it('dead letters have one effect when two commands replay them while new events arrive', async () => {
  poison.add('bad');
  await probe.start();
  const id = await create('bad');
  const wanted = ['bad', ...Array.from({ length: 20 }, (_, index) => `n${index}`)];
  for (const title of wanted.slice(1, 11)) await rename(id, title);
  await expect.poll(waiting, POLL_OPTIONS).toBe(11);
  poison.clear();
  const more = (async () => {
    for (const title of wanted.slice(11)) await rename(id, title);
  })();
  await Promise.all([tool('replay', 'stats'), tool('replay', 'stats'), more]);
  await expect
    .poll(async () => {
      if ((await waiting()) > 0) await tool('replay', 'stats');
      return titlesOf(id);
    }, POLL_OPTIONS)
    .toEqual(wanted);
});

it('the command fails if the service does not answer, or does not exist', async () => {
  expect((await tool('list', 'package')).code).toBe(3);
  expect((await tool('list', 'nobody')).code).toBe(2);
});

it('a dead letter is shown with its event, and dropped for good: the events behind it are applied', async () => {
  poison.add('bad');
  await probe.start();
  const id = await create('bad');
  await rename(id, 'second');
  await expect.poll(waiting, POLL_OPTIONS).toBe(2);
  const listed: unknown = JSON.parse((await tool('list', 'stats', '--json')).out);
  const { items } = z.object({ items: z.array(z.object({ seq: z.int(), error: z.string() })) }).parse(listed);
  const seq = String(items[0]?.seq);
  const shown = await tool('show', 'stats', seq);
  expect(shown.code).toBe(0);
  expect(JSON.parse(shown.out)).toMatchObject({ seq: Number(seq), event: { data: { title: 'bad' } } });
  expect(await tool('drop', 'stats', seq)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--reason is missing'),
  });
  expect(await tool('drop', 'stats', seq, '--reason', 'never mind')).toMatchObject({
    code: 0,
    out: `dropped: ${seq}\n`,
  });
  await expect.poll(() => titlesOf(id), POLL_OPTIONS).toEqual(['second']);
  await expect.poll(waiting, POLL_OPTIONS).toBe(0);
  expect((await tool('show', 'stats', seq)).code).toBe(2);
  const kept = await fixture.sql<{ error: string }>(`select error from stats.dead_letter where seq = ${seq}`);
  expect(kept[0]?.error).toMatch(/^dropped: never mind; .*cannot apply bad/);
  await rename(id, 'third');
  await expect.poll(() => titlesOf(id), POLL_OPTIONS).toEqual(['second', 'third']);
});

it('dead letters of a follower that must be complete are not dropped', async () => {
  poison.add('bad');
  const { follower } = probeApp((event) => probe.onEvent(event));
  if (follower === undefined) throw new Error('the probe follows');
  await probe.start({ follower: { ...follower, onLost: () => undefined } });
  await create('bad');
  await expect.poll(waiting, POLL_OPTIONS).toBe(1);
  const [{ seq } = { seq: 0 }] = await fixture.sql<{ seq: number }>('select seq::int from stats.dead_letter');
  const refused = await tool('drop', 'stats', String(seq), '--reason', 'never mind');
  expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('must not lose an event') });
  expect(await waiting()).toBe(1);
});
