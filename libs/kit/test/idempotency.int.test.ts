import { Problem } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../src/index.ts';
import { connectCaller, type TestCaller } from './caller.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';
import { addNote } from './fixture-service/note.ts';

const COURSES = '/ws/course';
const { write } = fixtureServiceCalls;
let fixture: FixtureServiceSystem;
let caller: TestCaller;
beforeAll(async () => {
  fixture = await startFixtureService();
  caller = await connectCaller(fixture);
});
afterAll(async () => {
  await caller?.stop();
  await fixture?.stop();
});
beforeEach(() => {
  fixture.toy.reset();
  fixture.toy.acts.write = async (session, title) => {
    addNote(session, title);
    return { title };
  };
});

const teacher = (sub = 'teacher-1') => fixture.as({ role: 'TEACHER', sub });
const key = (value: string) => ({ 'idempotency-key': value });
const count = async (title: string): Promise<number> =>
  (await fixture.sql<{ n: number }>('select count(*)::int as n from course.note where title = $1', [title]))[0]?.n ??
  -1;
const told = async (title: string): Promise<number> =>
  (await fixture.sql("select 1 from course.log_entry where data ->> 'title' = $1", [title])).length;

describe('Idempotency-Key', () => {
  it('replays the first answer, with its status, ETag and token', async () => {
    const first = await teacher().post(COURSES, { title: 'once' }, key('a'));
    const again = await teacher().post(COURSES, { title: 'once' }, key('a'));
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(again.headers.get('x-consistency-token')).toBe(first.headers.get('x-consistency-token'));
    expect([await count('once'), await told('once')]).toEqual([1, 1]);
  });

  it('refuses another request under a used key', async () => {
    await teacher().post(COURSES, { title: 'one' }, key('b'));
    const other = await teacher().post(COURSES, { title: 'two' }, key('b'));
    expect(other.status).toBe(422);
    expect(other.body.code).toBe('idempotency_mismatch');
    const { body: it } = await teacher().post(COURSES, { title: 'one' }, key('b'));
    expect((await teacher().patch(`${COURSES}/${it.id}`, { title: 'one' }, key('b'))).status).toBe(422);
    expect(await count('two')).toBe(0);
  });

  it('lets parallel repeats have one effect', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => teacher().post(COURSES, { title: 'parallel' }, key('c'))),
    );
    const good = answers.filter((answer) => answer.status === 201);
    const running = answers.filter((answer) => answer.body.code === 'idempotency_in_flight');
    expect(good.length).toBeGreaterThan(0);
    expect(good.length + running.length).toBe(30);
    expect(new Set(good.map((answer) => answer.body.id)).size).toBe(1);
    expect(await count('parallel')).toBe(1);
  });

  it('refuses a repeat while the first is under way', async () => {
    let release: () => void = () => {};
    const open = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = 0;
    fixture.toy.acts.write = async (session, title) => {
      begun += 1;
      addNote(session, title);
      await open;
      return { title };
    };
    const head = { idempotency_key: 'under way' };
    const first = caller.ask(write, { title: 'slow' }, head);
    await expect.poll(() => begun).toBe(1);
    expect((await caller.ask(write, { title: 'slow' }, head)).body).toMatchObject({ code: 'idempotency_in_flight' });
    release();
    expect((await first).head.status).toBe(200);
    expect((await caller.ask(write, { title: 'slow' }, head)).body).toEqual({ title: 'slow' });
    expect([begun, await count('slow')]).toEqual([1, 1]);
  });

  it('does not remember a refusal, nor a failure', async () => {
    const { body: it } = await teacher().post(COURSES, { title: 'first' });
    const path = `${COURSES}/${it.id}`;
    const rename = (headers: Record<string, string>) => teacher().patch(path, { title: 'second' }, headers);
    expect((await rename({ ...key('d'), 'if-match': '"7"' })).status).toBe(412);
    expect((await rename(key('d'))).status).toBe(200);
    const act = fixture.toy.acts.write;
    fixture.toy.acts.write = async () => {
      throw new Error('not now');
    };
    const again = async () => (await caller.ask(write, { title: 'later' }, { idempotency_key: 'f' })).head.status;
    expect(await again()).toBe(500);
    fixture.toy.acts.write = act;
    expect([await again(), await again(), await count('later')]).toEqual([200, 200, 1]);
  });

  describe('when a copy of it comes late', () => {
    const refuse = async (): Promise<never> => {
      throw new Problem('in_use');
    };
    const act = async (session: Session, title: string) => {
      addNote(session, title);
      return { title };
    };
    /** Sent so long after another one. */
    const send = async (title: string, after_ms: number) => {
      const head = { idempotency_key: title, deadline: since + after_ms };
      const answer = await caller.ask(write, { title }, head);
      return [answer.head.status, answer.body.code, await count(title)];
    };
    let since = 0;
    beforeEach(() => {
      since = Date.now() + 10_000;
    });

    it('does not do after a refusal what was asked before it, and does what is asked afterwards', async () => {
      fixture.toy.acts.write = refuse;
      expect(await send('late', 2_000)).toEqual([409, 'in_use', 0]);
      fixture.toy.acts.write = act;
      expect(await send('late', 1_000)).toEqual([409, 'in_use', 0]);
      expect(await send('late', 3_000)).toEqual([200, undefined, 1]);
      expect(await send('late', 1_000)).toEqual([200, undefined, 1]);
    });

    it('takes a refusal of another body for one of the same request', async () => {
      fixture.toy.acts.write = refuse;
      await caller.ask(write, { title: 'wrong' }, { idempotency_key: 'put right', deadline: since });
      fixture.toy.acts.write = act;
      expect(await send('put right', 1)).toEqual([200, undefined, 1]);
    });

    it('tells a refusal only when the copy is not under way, and what the copy did if it was', async () => {
      const [refusal, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let asked = 0;
      fixture.toy.acts.prepare = async (_session, title) => {
        asked += 1;
        if (asked === 3) await refusal.promise;
        if (asked > 1) throw new Problem('in_use');
        return { title };
      };
      fixture.toy.acts.write = async (session, title) => {
        await release.promise;
        return act(session, title);
      };
      const copy = send('both', 1_000);
      await expect.poll(() => asked).toBe(1);
      expect(await send('both', 2_000)).toEqual([409, 'idempotency_in_flight', 0]);
      const refused = send('both', 3_000);
      await expect.poll(() => asked).toBe(3);
      release.resolve();
      expect(await copy).toEqual([200, undefined, 1]);
      refusal.resolve();
      expect(await refused).toEqual([200, undefined, 1]);
    });
  });

  it('belongs to one user of one org', async () => {
    const mine = await teacher('t-a').post(COURSES, { title: 'mine' }, key('e'));
    const yours = await teacher('t-b').post(COURSES, { title: 'yours' }, key('e'));
    expect([mine.status, yours.status]).toEqual([201, 201]);
  });

  it('has 1 to 255 characters', async () => {
    expect((await teacher().post(COURSES, { title: 'x' }, key('k'.repeat(256)))).status).toBe(400);
    expect((await teacher().post(COURSES, { title: 'x' }, key(''))).status).toBe(400);
    expect((await teacher().post(COURSES, { title: 'x' }, key('k'.repeat(255)))).status).toBe(201);
  });

  it('is forgotten after a day: the same request is done again', async () => {
    const post = async () => (await teacher().post(COURSES, { title: 'daily' }, key('g'))).status;
    const age = (hours: number) =>
      fixture.sql(`update course.idempotency_key set created_at = now() - interval '${hours} hours' where key = 'g'`);
    expect(await post()).toBe(201);
    await age(23);
    expect([await post(), await count('daily')]).toEqual([201, 1]);
    await age(25);
    expect([await post(), await count('daily')]).toEqual([201, 2]);
    expect([await post(), await count('daily')]).toEqual([201, 2]);
  });

  it('means nothing for a read', async () => {
    const head = { idempotency_key: 'h' };
    expect((await caller.ask(fixtureServiceCalls.read, { title: 'a' }, head)).body).toEqual({ title: 'a' });
    expect((await caller.ask(fixtureServiceCalls.read, { title: 'b' }, head)).body).toEqual({ title: 'b' });
  });
});
