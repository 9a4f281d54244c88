import { randomUUID } from 'node:crypto';
import { Problem } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../src/index.ts';
import { connectCaller, type TestCaller } from './test-caller.ts';
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
  fixture.service.reset();
  fixture.service.actions.write = async (session, title) => {
    addNote(session, title);
    return { title };
  };
});

const teacher = (sub = 'teacher-1') => fixture.as({ role: 'TEACHER', sub });
const key = (value: string) => ({ 'idempotency-key': value });
const count = async (title: string): Promise<number> =>
  (await fixture.sql<{ n: number }>('select count(*)::int as n from course.note where title = $1', [title]))[0]?.n ??
  -1;
const eventCount = async (title: string): Promise<number> =>
  (await fixture.sql("select 1 from course.log_entry where data ->> 'title' = $1", [title])).length;

describe('An Idempotency-Key', () => {
  it('replays the first answer, with its status, ETag and token', async () => {
    const first = await teacher().post(COURSES, { title: 'once' }, key('a'));
    const again = await teacher().post(COURSES, { title: 'once' }, key('a'));
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(again.headers.get('x-consistency-token')).toBe(first.headers.get('x-consistency-token'));
    expect([await count('once'), await eventCount('once')]).toEqual([1, 1]);
  });

  it('is refused for another request than its first one', async () => {
    await teacher().post(COURSES, { title: 'one' }, key('b'));
    const other = await teacher().post(COURSES, { title: 'two' }, key('b'));
    expect(other.status).toBe(422);
    expect(other.body.code).toBe('idempotency_mismatch');
    const { body: it } = await teacher().post(COURSES, { title: 'one' }, key('b'));
    expect((await teacher().patch(`${COURSES}/${it.id}`, { title: 'one' }, key('b'))).status).toBe(422);
    expect(await count('two')).toBe(0);
  });

  it('gives parallel copies of a request one effect', async () => {
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

  it('is refused for a copy of the request while the first one is running', async () => {
    let release: () => void = () => {};
    const open = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = 0;
    fixture.service.actions.write = async (session, title) => {
      begun += 1;
      addNote(session, title);
      await open;
      return { title };
    };
    const head = { idempotency_key: 'running' };
    const first = caller.performCall(write, { title: 'slow' }, head);
    await expect.poll(() => begun).toBe(1);
    expect((await caller.performCall(write, { title: 'slow' }, head)).body).toMatchObject({
      code: 'idempotency_in_flight',
    });
    release();
    expect((await first).head.status).toBe(200);
    expect((await caller.performCall(write, { title: 'slow' }, head)).body).toEqual({ title: 'slow' });
    expect([begun, await count('slow')]).toEqual([1, 1]);
  });

  it('does not replay a refusal or a failure to a later request', async () => {
    const { body: it } = await teacher().post(COURSES, { title: 'first' });
    const path = `${COURSES}/${it.id}`;
    const rename = (headers: Record<string, string>) => teacher().patch(path, { title: 'second' }, headers);
    expect((await rename({ ...key('d'), 'if-match': '"7"' })).status).toBe(412);
    expect((await rename(key('d'))).status).toBe(200);
    const working = fixture.service.actions.write;
    fixture.service.actions.write = async () => {
      throw new Error('not now');
    };
    const again = async () =>
      (await caller.performCall(write, { title: 'later' }, { idempotency_key: 'f' })).head.status;
    expect(await again()).toBe(500);
    fixture.service.actions.write = working;
    expect([await again(), await again(), await count('later')]).toEqual([200, 200, 1]);
  });

  describe('for a copy of the request that arrives late', () => {
    const refuse = async (): Promise<never> => {
      throw new Problem('in_use');
    };
    const addNoteAndEcho = async (session: Session, title: string) => {
      addNote(session, title);
      return { title };
    };
    /** Sends a copy. `after_ms`: how much later than the first one it was made. */
    const send = async (title: string, after_ms: number) => {
      const head = { idempotency_key: title, deadline: since + after_ms };
      const answer = await caller.performCall(write, { title }, head);
      return [answer.head.status, answer.body.code, await count(title)];
    };
    let since = 0;
    beforeEach(() => {
      since = performance.now() + 10_000;
    });

    it('refuses a copy that was sent before a refusal, and performs one that was sent after it', async () => {
      fixture.service.actions.write = refuse;
      expect(await send('late', 2_000)).toEqual([409, 'in_use', 0]);
      fixture.service.actions.write = addNoteAndEcho;
      expect(await send('late', 1_000)).toEqual([409, 'in_use', 0]);
      expect(await send('late', 3_000)).toEqual([200, undefined, 1]);
      expect(await send('late', 1_000)).toEqual([200, undefined, 1]);
    });

    it('performs a corrected request after the refusal of another body', async () => {
      fixture.service.actions.write = refuse;
      await caller.performCall(write, { title: 'wrong' }, { idempotency_key: 'put right', deadline: since });
      fixture.service.actions.write = addNoteAndEcho;
      expect(await send('put right', 1_000)).toEqual([200, undefined, 1]);
    });

    /** Sends a request as a gateway whose clock is `ahead_ms` ahead. It waits ten seconds. */
    const sendFrom = async (ahead_ms: number, title: string) => {
      const deadline = Date.now() + ahead_ms + 10_000;
      const times = { request_id: randomUUID(), remaining_ms: 10_000, deadline };
      const head = JSON.stringify({ ...times, caller: caller.sign({}), idempotency_key: title });
      const answer = await caller.send(write, Buffer.from(`${head}\n${JSON.stringify({ title })}`));
      return [answer.head.status, answer.body.code, await count(title)];
    };

    it('performs a repeat of a refused request at a gateway whose clock is an hour behind the first one', async () => {
      fixture.service.actions.write = refuse;
      expect(await sendFrom(3_600_000, 'two gateways')).toEqual([409, 'in_use', 0]);
      fixture.service.actions.write = addNoteAndEcho;
      expect(await sendFrom(0, 'two gateways')).toEqual([200, undefined, 1]);
    });

    it('performs a repeat of a request that was refused before the clock of Postgres was set back', async () => {
      fixture.service.actions.write = refuse;
      expect(await send('set back', 0)).toEqual([409, 'in_use', 0]);
      await fixture.sql(`update course.idempotency_key set created_at = created_at + interval '1 hour',
        reply_head = jsonb_set(reply_head::jsonb, '{refused_deadline}',
          to_jsonb((reply_head ->> 'refused_deadline')::float8 + 3600000))::json where key = 'set back'`);
      fixture.service.actions.write = addNoteAndEcho;
      expect(await send('set back', 1_000)).toEqual([200, undefined, 1]);
    });

    it('returns a refusal only if no copy is running, else the answer of the copy', async () => {
      const [refusal, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let prepared = 0;
      fixture.service.actions.prepare = async (_session, title) => {
        prepared += 1;
        if (prepared === 3) await refusal.promise;
        if (prepared > 1) throw new Problem('in_use');
        return { title };
      };
      fixture.service.actions.write = async (session, title) => {
        await release.promise;
        return addNoteAndEcho(session, title);
      };
      const copy = send('both', 1_000);
      await expect.poll(() => prepared).toBe(1);
      expect(await send('both', 2_000)).toEqual([409, 'idempotency_in_flight', 0]);
      const refused = send('both', 3_000);
      await expect.poll(() => prepared).toBe(3);
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
    expect(await teacher().post(COURSES, {}, key('k'.repeat(256)))).toMatchObject({
      status: 400,
      body: {
        detail: 'Idempotency-Key must have 1 to 255 characters. 1 problem in the request',
        errors: [{ path: '/body/title' }],
      },
    });
    expect((await teacher().post(COURSES, { title: 'x' }, key(''))).status).toBe(400);
    expect((await teacher().post(COURSES, { title: 'x' }, key('k'.repeat(255)))).status).toBe(201);
  });

  it('expires after a day: the same request is performed again', async () => {
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

  it('has no effect on a read', async () => {
    const head = { idempotency_key: 'h' };
    expect((await caller.performCall(fixtureServiceCalls.read, { title: 'a' }, head)).body).toEqual({ title: 'a' });
    expect((await caller.performCall(fixtureServiceCalls.read, { title: 'b' }, head)).body).toEqual({ title: 'b' });
  });
});
