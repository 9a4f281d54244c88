import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { packageEvents } from '@teaching/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { createOrm } from '../src/db/orm.ts';
import { createPool } from '../src/db/pool.ts';
import { readEnvelope } from '../src/events/batch.ts';
import { inWorkerTx } from '../src/events/tx.ts';
import {
  type App,
  createLogger,
  eventsOf,
  type Received,
  type Running,
  startService,
  statement,
} from '../src/index.ts';

const PACKAGES = '/clazz/course-package';
const STORE = statement('insert into probe (event_id, aggregate_id, title) values ($1, $2, $3)');

let fixture: Fixture;
let running: Running[] = [];
/** What the consumer does besides storing; a test may make it fail. */
let trouble: (event: Received<{ title: string }>) => void;

/** Follows the package service and notes titles, in the order they came. */
const probe: App = {
  name: 'stats',
  routes: [],
  listeners: [],
  consumer: {
    follows: [packageEvents.created, packageEvents.updated],
    apply: (events: readonly Received[]) => async (tx) => {
      for (const event of [...eventsOf(events, packageEvents.created), ...eventsOf(events, packageEvents.updated)]) {
        tx.run(STORE, event.id, event.subject, event.data.title);
        trouble(event);
      }
    },
  },
  jobs: [],
  entities: [],
  migrations: [],
};

const startProbe = async (): Promise<Running> => {
  const { MIGRATION_DATABASE_URL: _migrated, ...env } = fixture.envFor('stats');
  const one = await startService(probe, env);
  running.push(one);
  return one;
};
const titles = async (): Promise<string[]> =>
  (await fixture.sql<{ title: string }>('select title from stats.probe order by n')).map((row) => row.title);
const dead = () =>
  fixture.sql<{ aggregate_id: string; error: string; tries: number }>(
    'select aggregate_id, error, tries from stats.dead_letter order by seq',
  );
const create = async (title: string): Promise<string> =>
  (await fixture.as({ role: 'TEACHER' }).post(PACKAGES, { title })).body.id;
const soon = { timeout: 20_000, interval: 50 };
const status = async (): Promise<number> => (await fixture.as({ role: 'TEACHER' }).get(`${PACKAGES}/list/my`)).status;
const rename = (id: string, title: string) => fixture.as({ role: 'TEACHER' }).patch(`${PACKAGES}/${id}`, { title });

beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
  await fixture.sql('create table stats.probe (n serial, event_id uuid, aggregate_id text, title text)');
  await fixture.sql(
    'grant all on stats.probe to stats_worker; grant usage on sequence stats.probe_n_seq to stats_worker',
  );
});
afterAll(() => fixture?.stop());
beforeEach(async () => {
  trouble = () => {};
  await fixture.sql('truncate stats.probe; truncate stats.dead_letter');
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.stop()));
  running = [];
});

describe('the event path', () => {
  it('brings each committed event to its consumer once and in order', async () => {
    await startProbe();
    const id = await create('0');
    const wanted = ['0', '1', '2', '3', '4', '5'];
    for (const title of wanted.slice(1)) await rename(id, title);
    await expect.poll(titles, soon).toEqual(wanted);
    const waiting = () => fixture.sql('select 1 from package.outbox where published_at is null');
    await expect.poll(waiting, soon).toEqual([]);
  });

  it('has no effect for a write that was refused', async () => {
    await startProbe();
    const id = await create('kept');
    expect(
      (await fixture.as({ role: 'TEACHER', sub: 'else' }).patch(`${PACKAGES}/${id}`, { title: 'not' })).status,
    ).toBe(403);
    await rename(id, 'last');
    await expect.poll(titles, soon).toEqual(['kept', 'last']);
  });

  it('takes what one transaction tells of several orgs, each for itself', async () => {
    await startProbe();
    const pool = createPool(
      fixture.envFor('package')['WORKER_DATABASE_URL'] ?? '',
      1,
      'test',
      createLogger('test', 'silent'),
    );
    const deps = { pool, orm: createOrm([]), clock: () => new Date(), onEvents: () => {} };
    const template = (await fixture.as({ role: 'TEACHER' }).post(PACKAGES, { title: 'template' })).body;
    const orgs = [randomUUID(), randomUUID()];
    await inWorkerTx(deps, async (tx) => {
      for (const org_id of orgs) {
        const row = { ...template, id: randomUUID(), org_id, title: 'of a job' };
        tx.emit({ org_id, user_id: 'job', request_id: randomUUID() }, packageEvents.created, row.id, row);
      }
    });
    await pool.end();
    await expect.poll(titles, soon).toEqual(['template', 'of a job', 'of a job']);
    const kept = await fixture.sql<{ org_id: string }>('select org_id from stats.inbox where org_id = any ($1)', [
      orgs,
    ]);
    expect(kept.map(({ org_id }) => org_id).toSorted()).toEqual(orgs.toSorted());
  });

  it('goes on where it was after the consumer was away', async () => {
    const one = await startProbe();
    const id = await create('before');
    await expect.poll(titles, soon).toEqual(['before']);
    await one.stop();
    await rename(id, 'meanwhile');
    await startProbe();
    await expect.poll(titles, soon).toEqual(['before', 'meanwhile']);
  });

  it('has one effect with two instances running, and the other takes over', async () => {
    const first = await startProbe();
    await startProbe();
    const ids = await Promise.all(Array.from({ length: 10 }, (_, index) => create(`a${index}`)));
    await expect.poll(async () => (await titles()).length, soon).toBe(10);
    await first.stop();
    await Promise.all(ids.map((id) => rename(id, 'b')));
    await expect.poll(async () => (await titles()).length, soon).toBe(20);
  });

  it('has one effect when an event is published again', async () => {
    await startProbe();
    await create('twice');
    await expect.poll(titles, soon).toEqual(['twice']);
    await fixture.sql('update package.outbox set published_at = null, stream_seq = null');
    await fixture.nats.restart();
    await expect.poll(status, soon).toBe(200);
    await create('after');
    await expect.poll(titles, soon).toContain('after');
    expect((await titles()).filter((title) => title === 'twice')).toHaveLength(1);
  });

  it('gives an event that is followed for the first time everything the stream still has', async () => {
    const id = await create('early');
    const env = fixture.envFor('stats');
    const other = { ...probe, consumer: { follows: [packageEvents.deleted], apply: () => async () => {} } };
    running.push(await startService(other, { ...env, MIGRATION_DATABASE_URL: undefined }));
    await rename(id, 'still not followed');
    await Promise.all(running.map((one) => one.stop()));
    await startProbe();
    await expect.poll(titles, soon).toEqual(expect.arrayContaining(['early', 'still not followed']));
  });

  it('tries again when an event fails, and keeps the order of its aggregate', async () => {
    let failures = 2;
    trouble = ({ data }) => {
      if (data.title === 'shaky' && failures-- > 0) throw new Error('not now');
    };
    await startProbe();
    const id = await create('shaky');
    await rename(id, 'next');
    await expect.poll(titles, soon).toEqual(['shaky', 'next']);
    expect(await dead()).toEqual([]);
  });

  it('puts a poisonous event aside with what follows it, and lets everything else pass', async () => {
    trouble = ({ data }) => {
      if (data.title === 'poison') throw new Error('cannot be applied');
    };
    await startProbe();
    const bad = await create('poison');
    const good = await create('fine');
    await rename(bad, 'after the poison');
    await rename(good, 'still fine');
    await expect.poll(titles, soon).toEqual(['fine', 'still fine']);
    await expect.poll(dead, soon).toMatchObject([
      { aggregate_id: bad, error: 'cannot be applied' },
      { aggregate_id: bad, tries: 0 },
    ]);
  });
});

it('an event keeps what its contract does not name yet, while handlers see what it names', () => {
  const data = { id: randomUUID(), teacher_id: 'ada', later: 'a field of a newer version' };
  const envelope = {
    specversion: '1.0',
    id: randomUUID(),
    source: '/package',
    type: packageEvents.deleted.type,
    subject: data.id,
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    orgid: randomUUID(),
    txid: randomUUID(),
    actor: 'somebody',
    requestid: randomUUID(),
    data,
  };
  const received = readEnvelope(Buffer.from(JSON.stringify(envelope)), packageEvents.deleted);
  if (received === undefined) throw new Error('not read');
  expect(received.data).toEqual(data);
  expect(eventsOf([received], packageEvents.deleted)[0]?.data).not.toHaveProperty('later');
});

describe('a broker', () => {
  it('may be away: requests get 503 with Retry-After, and come back by themselves', async () => {
    await startProbe();
    await fixture.nats.stop();
    await expect.poll(status, soon).toBe(503);
    const refused = await fixture.as({ role: 'TEACHER' }).get(`${PACKAGES}/list/my`);
    expect(refused.body.code).toBe('unavailable');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await fixture.nats.restart();
    await expect.poll(status, soon).toBe(200);
    await create('back');
    await expect.poll(titles, soon).toContain('back');
  });

  it('may forget everything: what was published is published again, without a second effect', async () => {
    await startProbe();
    await create('remembered');
    await expect.poll(titles, soon).toEqual(['remembered']);
    await fixture.nats.stop();
    rmSync(fixture.nats.store, { recursive: true, force: true });
    await fixture.sql('truncate stats.probe');
    await fixture.sql(
      'delete from stats.inbox where tx_id = (select tx_id from package.outbox order by seq desc limit 1)',
    );
    await fixture.nats.restart();
    await expect.poll(titles, soon).toContain('remembered');
    await expect.poll(status, soon).toBe(200);
    await create('afterwards');
    await expect.poll(titles, soon).toContain('afterwards');
    // Everything was delivered again, and known but for one (and what once was a dead letter).
    expect((await titles()).filter((title) => !title.includes('poison'))).toEqual(['remembered', 'afterwards']);
  });
});
