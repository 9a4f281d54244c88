import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { packageEvents } from '@teaching/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { type App, eventsOf, type Received, type Running, startService, statement } from '../src/index.ts';

const PACKAGES = '/clazz/course-package';
const STORE = statement('insert into probe (aggregate_id, title) values ($1, $2)');
const TOOL = fileURLToPath(new URL('../../../tools/dead-letters.ts', import.meta.url));

let fixture: Fixture;
let running: Running[] = [];
/** Titles that cannot be applied. */
const poison = new Set<string>();

const probe: App = {
  name: 'stats',
  routes: [],
  listeners: [],
  consumer: {
    follows: [packageEvents.created, packageEvents.updated],
    apply: (events: readonly Received[]) => async (tx) => {
      for (const event of [...eventsOf(events, packageEvents.created), ...eventsOf(events, packageEvents.updated)]) {
        tx.run(STORE, event.subject, event.data.title);
        if (poison.has(event.data.title)) throw new Error(`cannot apply ${event.data.title}`);
      }
    },
  },
  jobs: [],
  entities: [],
  migrations: [],
};

const startProbe = async (): Promise<void> => {
  const { MIGRATION_DATABASE_URL: _migrated, ...env } = fixture.envFor('stats');
  running.push(await startService(probe, env));
};
const tool = (...args: string[]): Promise<{ code: number | null; out: string; err: string }> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      NATS_URL: fixture.nats.url,
      NATS_ADMIN_PASSWORD: inject('stack').secrets.nats.admin,
    };
    const child = spawn(process.execPath, [TOOL, ...args], { env });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    child.on('close', (code) => resolve({ code, out, err }));
  });
const titlesOf = async (id: string): Promise<string[]> =>
  (await fixture.sql<{ title: string }>('select title from stats.probe where aggregate_id = $1 order by n', [id])).map(
    (row) => row.title,
  );
const waiting = async (): Promise<number> =>
  (await fixture.sql('select 1 from stats.dead_letter where replayed_at is null')).length;
const soon = { timeout: 20_000, interval: 50 };
const api = () => fixture.as({ role: 'TEACHER' });
const create = async (title: string): Promise<string> => (await api().post(PACKAGES, { title })).body.id;
const rename = (id: string, title: string) => api().patch(`${PACKAGES}/${id}`, { title });

beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
  await fixture.sql(`create table stats.probe (n serial, aggregate_id text, title text);
    grant all on stats.probe to stats_worker; grant usage on sequence stats.probe_n_seq to stats_worker`);
});
afterAll(() => fixture?.stop());
beforeEach(async () => {
  poison.clear();
  await fixture.sql('truncate stats.probe; truncate stats.dead_letter');
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.stop()));
  running = [];
});

it('are listed, replayed in order once the cause is gone, and what comes next is applied by itself', async () => {
  poison.add('bad');
  await startProbe();
  const id = await create('bad');
  await rename(id, 'second');
  await rename(id, 'third');
  await expect.poll(waiting, soon).toBe(3);
  const listed = await tool('--service', 'stats');
  expect(listed).toMatchObject({ code: 1, err: '' });
  expect(listed.out).toContain('cannot apply bad');
  expect(listed.out).toContain('3 dead letters wait.');

  const refused = await tool('--service', 'stats', '--replay');
  expect([refused.code, refused.out.split('\n')[0]]).toEqual([1, '0 replayed']);
  expect(await titlesOf(id)).toEqual([]);

  poison.clear();
  expect(await tool('--service', 'stats', '--replay')).toMatchObject({
    code: 0,
    out: '3 replayed\nNo dead letters wait.\n',
  });
  expect(await titlesOf(id)).toEqual(['bad', 'second', 'third']);
  await rename(id, 'fourth');
  await expect.poll(() => titlesOf(id), soon).toEqual(['bad', 'second', 'third', 'fourth']);
  expect(await waiting()).toBe(0);
});

it('of other aggregates are replayed when one still fails', async () => {
  poison.add('bad').add('worse');
  await startProbe();
  const [good, still] = [await create('bad'), await create('worse')];
  await rename(still, 'behind');
  await expect.poll(waiting, soon).toBe(3);
  poison.delete('bad');
  const { code, out } = await tool('--service', 'stats', '--replay');
  expect([code, out.split('\n')[0]]).toEqual([1, '1 replayed']);
  expect([await titlesOf(good), await titlesOf(still)]).toEqual([['bad'], []]);
});

it('have one effect when two replay at once while events go on', async () => {
  poison.add('bad');
  await startProbe();
  const id = await create('bad');
  const wanted = ['bad', ...Array.from({ length: 20 }, (_, index) => `n${index}`)];
  for (const title of wanted.slice(1, 11)) await rename(id, title);
  await expect.poll(waiting, soon).toBe(11);
  poison.clear();
  const more = (async () => {
    for (const title of wanted.slice(11)) await rename(id, title);
  })();
  await Promise.all([tool('--service', 'stats', '--replay'), tool('--service', 'stats', '--replay'), more]);
  await expect
    .poll(async () => {
      if ((await waiting()) > 0) await tool('--service', 'stats', '--replay');
      return titlesOf(id);
    }, soon)
    .toEqual(wanted);
});

it('cannot be asked about without a service that answers', async () => {
  expect((await tool('--service', 'course')).code).toBe(3);
  expect((await tool('--service', 'nobody')).code).toBe(2);
});
