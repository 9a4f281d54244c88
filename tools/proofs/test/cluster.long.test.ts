import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { clazzCalls } from '../../../libs/contracts/src/index.ts';
import { waitUntilCaughtUp } from './wait-caught-up.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { type NatsCluster, startNatsCluster } from '../system/nats-cluster.ts';
import { peopleOf } from './people.ts';

let cluster: NatsCluster;
let fixture: Fixture;
const { supervisor } = peopleOf(() => fixture);
const POLL = { timeout: 60_000, interval: 200 };

beforeAll(async () => {
  cluster = await startNatsCluster(3, { secrets: inject('stack').secrets });
  fixture = await startFixture({
    natsUrl: cluster.url,
    services: ['clazz', 'course', 'stats'],
    env: { STREAM_REPLICAS: '3' },
  });
});
afterAll(async () => {
  await fixture?.stop();
  await cluster?.stop();
});

/** Creates a class, with retries under one idempotency key until it succeeds. */
const create = async (n: number): Promise<void> => {
  const headers = { 'idempotency-key': randomUUID() };
  const body = { name: `Class ${n}`, lead_teacher_id: `teacher-${n % 7}` };
  const send = async () => (await supervisor().outcome(clazzCalls.createClazz, { body }, headers)).code;
  await expect.poll(send, POLL).toBe('done');
};

/** The message ids of a stream, in stream order. */
const idsIn = async (stream: string): Promise<string[]> => {
  const admin = await cluster.admin();
  try {
    const manager = await jetstreamManager(admin, { checkAPI: false });
    const { state } = await manager.streams.info(stream);
    const ids: string[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      ids.push((await manager.streams.getMessage(stream, { seq }))?.header.get('Nats-Msg-Id') ?? '');
    }
    return ids;
  } finally {
    await admin.close();
  }
};

it('loses, duplicates and skips no event of a replicated stream when its leader is killed under load', async () => {
  await create(0);
  await expect.poll(() => cluster.leaderOf('EVENTS_CLAZZ'), POLL).toBeDefined();
  let made = 0;
  const writing = { on: true };
  const writers = Array.from({ length: 8 }, async () => {
    while (writing.on) await create((made += 1));
  });
  for (let round = 0; round < 2; round += 1) {
    await expect.poll(() => made, POLL).toBeGreaterThan(40 * (round + 1));
    const leader = await cluster.leaderOf('EVENTS_CLAZZ');
    await leader?.kill();
    const before = made;
    await expect.poll(() => made, POLL).toBeGreaterThan(before + 40);
    await leader?.restart();
    await expect.poll(() => cluster.leaderOf('EVENTS_CLAZZ'), POLL).toBeDefined();
  }
  writing.on = false;
  await Promise.all(writers);
  await waitUntilCaughtUp(fixture);
  for (const [log, stream] of [
    ['domain', 'EVENTS_CLAZZ'],
    ['audit', 'AUDIT_CLAZZ'],
  ] as const) {
    const entries = await fixture.sql<{ id: string }>('select id from clazz.log_numbered where log = $1 order by no', [
      log,
    ]);
    await expect.poll(() => idsIn(stream), POLL).toEqual(entries.map(({ id }) => id));
  }
  await supervisor().ok(clazzCalls.listClazzes, { query: { limit: '1' } });
  const [count] = await fixture.sql<{ n: number }>('select count(*)::int as n from clazz.clazz');
  expect(count?.n).toBe(made + 1);
});
