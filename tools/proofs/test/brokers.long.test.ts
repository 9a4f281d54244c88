import { randomUUID } from 'node:crypto';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { lessonCalls, statsCalls } from '../../../libs/contracts/src/index.ts';
import { oneHourLesson, newClazz } from './clazz.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { natsServers } from './newer-nats.ts';
import { peopleOf } from './people.ts';

const servers = await natsServers();
const found = servers.flatMap((server) => ('path' in server ? [server] : []));
const missing = servers.flatMap((server) => ('missing' in server ? [server] : []));
const RANGE = { from: '2020-01-01', to: '2029-12-31', unit: 'month' } as const;

it('finds at least one nats-server to test', () => expect(found).not.toEqual([]));
it.for(missing)('nats-server of $label: $missing', ({ missing }, { skip }) => skip(missing));

describe.each(found)('nats-server $version', ({ path, version }) => {
  let fixture: Fixture;
  let clazz = '';
  const { supervisor } = peopleOf(() => fixture);

  beforeAll(async () => {
    fixture = await startFixture({ services: ['clazz', 'course', 'package', 'stats'], natsServer: path });
    clazz = (await newClazz(supervisor())).id;
  });
  afterAll(() => fixture?.stop());

  /**
   * Creates a lesson, with retries under one idempotency key while the broker restarts. Returns its consistency token.
   */
  const addLesson = async (hour: number): Promise<string> => {
    const body = oneHourLesson(new Date(Date.UTC(2026, 10, 1, hour)).toISOString(), { teacher_id: 'teacher-1' });
    const key = { 'idempotency-key': randomUUID() };
    let token = '';
    const write = async (): Promise<string> => {
      const { code, headers } = await supervisor().outcome(
        lessonCalls.createLesson,
        { path: { id: clazz }, body },
        key,
      );
      token = headers.get('x-consistency-token') ?? '';
      return code;
    };
    await expect.poll(write, { interval: 200 }).toBe('done');
    return token;
  };

  /** The number of scheduled lessons, once the statistics include the write of the token. */
  const scheduled = async (token: string): Promise<number> => {
    const query = { teacher_id: 'teacher-1', ...RANGE };
    const read = () => supervisor().ok(statsCalls.getTeacherStats, { query }, { 'x-consistency-token': token });
    await expect.poll(async () => (await read()).included, { interval: 200 }).toBe(true);
    return (await read()).totals.scheduled;
  };

  it('is the version that the fixture runs', async () => {
    const bus = await connect({ servers: fixture.nats.url, user: 'admin', pass: inject('stack').secrets.nats.admin });
    expect(bus.info?.version).toBe(version);
    await bus.close();
  });

  it('delivers writes to the statistics, also after a restart of the broker', async () => {
    expect(await scheduled(await addLesson(1))).toBe(1);
    await fixture.nats.restart();
    expect(await scheduled(await addLesson(2))).toBe(2);
  });

  it('keeps its store when a newer version replaces it', async () => {
    await fixture.nats.restart(found.at(-1)?.path);
    expect(await scheduled(await addLesson(3))).toBe(3);
  });
});
