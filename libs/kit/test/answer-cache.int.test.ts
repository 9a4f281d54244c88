import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { courseEvents, Problem } from '@teaching/contracts';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AnswerCache, logState, type StateReader, logStateReader, type Session, nextVersion } from '../src/index.ts';
import { connectCaller, type TestCaller } from './test-caller.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';
import { NOTE } from './fixture-service/note.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';

const INSTANCES = 3;
const ORGS = [randomUUID(), randomUUID()] as const;
const VIEWERS = ['teacher-1', 'teacher-2'] as const;
/** The only note of every organization. Writes change its title. */
const ID = randomUUID();

const STATES = {
  log: logStateReader(),
  row: async (session) => {
    const [note] = await session.peek(NOTE.read, session.org_id, ID);
    return note && `${note.version} ${note.updated_at}`;
  },
} satisfies Record<string, StateReader>;

/**
 * Times in milliseconds: when a step begins in its round, and how long it takes before and after it touches the row.
 */
const pause = fc.integer({ min: 0, max: 12 });
const times = { at: pause, before: pause, after: pause };
const read = fc.record({
  kind: fc.constant('read' as const),
  ...times,
  state: fc.constantFrom(...(['log', 'row'] as const)),
  viewer: fc.constantFrom(...VIEWERS),
  org: fc.constantFrom(...ORGS),
});
const write = fc.record({
  kind: fc.constant('write' as const),
  ...times,
  fails: fc.boolean(),
  org: fc.constantFrom(...ORGS),
});
type Read = typeof read extends fc.Arbitrary<infer T> ? T : never;
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;
/** Steps that overlap. After all of them, the database may be restored to its state at the beginning of the round. */
const round = fc.record({
  steps: fc.array(fc.oneof({ weight: 3, arbitrary: read }, write), { minLength: 4, maxLength: 16 }),
  /** No event gets its number before the round ends. */
  isNumberingHeld: fc.boolean(),
  isRestored: fc.boolean(),
});
type Round = typeof round extends fc.Arbitrary<infer T> ? T : never;

interface Shown {
  org: string;
  viewer: string;
  version: number;
  title: string;
}

let fixture: FixtureServiceSystem;
let caller: TestCaller;
let served = Array.from({ length: INSTANCES }, () => ({ cached: 0, computed: 0 }));

const instanceActions = (index: number) => {
  const cache = new AnswerCache();
  return {
    read: async (session: Session, text: string) => {
      const { state, before, after }: Read = JSON.parse(text);
      let isComputed = false;
      const answer = await cache.answer(session, {
        key: ['read', state, session.caller.user_id],
        state: STATES[state],
        compute: async () => {
          isComputed = true;
          await setTimeout(before);
          const note = await session.find(NOTE, ID);
          await setTimeout(after);
          const { version = 0, title = '' } = note ?? {};
          const shown: Shown = { org: session.org_id, viewer: session.caller.user_id, version, title };
          return { answer: { title: JSON.stringify(shown) } };
        },
      });
      const counts = served[index];
      if (counts !== undefined) counts[isComputed ? 'computed' : 'cached'] += 1;
      return answer;
    },
    write: async (session: Session, text: string) => {
      const { title, before, after, fails }: Write & { title: string } = JSON.parse(text);
      await setTimeout(before);
      const note = await session.lock(NOTE, ID);
      if (note === undefined) throw new Error('the note is missing');
      const changed = nextVersion({ ...note, title }, session);
      session.update(NOTE, changed);
      session.emit(courseEvents.courseDeleted, ID, { id: ID });
      await setTimeout(after);
      if (fails) throw new Problem('not_found');
      return { title: String(changed.version) };
    },
  };
};

beforeAll(async () => {
  fixture = await startFixtureService();
  await fixture.service.stop();
  await fixture.sql(`begin; set local search_path = course; ${logState('106_log_state', 'course').sql}; commit`);
  for (const org of ORGS)
    await fixture.sql("insert into course.note values ($1, $2, 'first', 'teacher-1', 1, now(), now())", [org, ID]);
  for (let index = 0; index < INSTANCES; index += 1) await fixture.service.start({}, {}, instanceActions(index));
  caller = await connectCaller(fixture);
});
afterAll(async () => {
  await caller?.stop();
  await fixture?.stop();
});

const untilNumbered = () =>
  expect.poll(async () => (await fixture.sql('select from course.log_waiting')).length, { interval: 5 }).toBe(0);

/** Copies the notes and the state of the log. The returned function restores them. */
const backUp = async (): Promise<() => Promise<void>> => {
  const notes = await fixture.sql('select org_id, title, version, updated_at::text from course.note');
  const logs = await fixture.sql("select org_id, no, id from course.log_org where log = 'domain'");
  return async () => {
    for (const { org_id, title, version, updated_at } of notes)
      await fixture.sql('update course.note set title = $2, version = $3, updated_at = $4 where org_id = $1', [
        org_id,
        title,
        version,
        updated_at,
      ]);
    for (const { org_id, no, id } of logs)
      await fixture.sql("update course.log_org set no = $2, id = $3 where log = 'domain' and org_id = $1", [
        org_id,
        no,
        id,
      ]);
  };
};

const holdNumbering = async (): Promise<() => Promise<void>> => {
  const holder = new pg.Client({ connectionString: fixture.adminUrl });
  await holder.connect();
  await holder.query('begin; select from course.log_head for update');
  return () => holder.end();
};

/** The titles of one organization by version, and the newest version whose write was acknowledged. */
interface History {
  titles: Map<number, string>;
  acknowledged: number;
}

const doWrite = async (step: Write, history: History): Promise<void> => {
  const title = randomUUID();
  const { head, body } = await caller.performCall(
    fixtureServiceCalls.write,
    { title: JSON.stringify({ ...step, title }) },
    { org_id: step.org },
  );
  expect(head.status).toBe(step.fails ? 404 : 200);
  if (step.fails) return;
  const version = Number(body.title);
  history.titles.set(version, title);
  history.acknowledged = Math.max(history.acknowledged, version);
};

const doRead = async (step: Read, { acknowledged }: History): Promise<{ step: Read; oldest: number; shown: Shown }> => {
  const who = { org_id: step.org, user_id: step.viewer };
  const { head, body } = await caller.performCall(fixtureServiceCalls.read, { title: JSON.stringify(step) }, who);
  expect(head.status).toBe(200);
  return { step, oldest: acknowledged, shown: JSON.parse(body.title) };
};

const runRound = async ({ steps, isNumberingHeld, isRestored }: Round, histories: ReadonlyMap<string, History>) => {
  const historyOf = (org: string): History => histories.get(org) ?? { titles: new Map(), acknowledged: 0 };
  const restore = await backUp();
  const known = new Map(ORGS.map((org) => [org, historyOf(org).acknowledged]));
  const release = isNumberingHeld ? await holdNumbering() : undefined;
  const reads = await Promise.all(
    steps.map(async (step) => {
      await setTimeout(step.at);
      if (step.kind === 'read') return doRead(step, historyOf(step.org));
      return doWrite(step, historyOf(step.org));
    }),
  );
  await release?.();
  for (const { step, oldest, shown } of reads.filter((one) => one !== undefined)) {
    expect(shown).toMatchObject({ org: step.org, viewer: step.viewer });
    expect(shown.version).toBeGreaterThanOrEqual(oldest);
    expect(shown.title).toBe(historyOf(step.org).titles.get(shown.version));
  }
  await untilNumbered();
  if (!isRestored) return;
  await restore();
  for (const org of ORGS) {
    const history = historyOf(org);
    history.acknowledged = known.get(org) ?? 0;
    for (const version of history.titles.keys()) if (version > history.acknowledged) history.titles.delete(version);
  }
};

it('the cache answers each caller with their own current data while other processes write, read and restore', async () => {
  served = served.map(() => ({ cached: 0, computed: 0 }));
  const rows = await fixture.sql<{ org_id: string; title: string; version: number }>('select * from course.note');
  const histories = new Map(
    rows.map(({ org_id, title, version }) => [org_id, { titles: new Map([[version, title]]), acknowledged: version }]),
  );
  const isRight = async (rounds: readonly Round[]): Promise<void> => {
    for (const one of rounds) await runRound(one, histories);
  };
  await fc.assert(fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 6 }), isRight), {
    numRuns: 12,
    endOnFailure: true,
  });
  for (const { cached, computed } of served) expect(Math.min(cached, computed)).toBeGreaterThan(0);
});
