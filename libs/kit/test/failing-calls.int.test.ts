import { randomUUID } from 'node:crypto';
import { courseEvents, Problem } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { notNull, p, Reply, type Session, statement, SerializedAnswer } from '../src/index.ts';
import { connectCaller, type TestCaller } from './test-caller.ts';
import { recordingLog } from './recording-log.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';
import { addNote, NOTE } from './fixture-service/note.ts';

/** Fails with this SQLSTATE. */
const FAIL = statement('select 1 as never from course.fail($1)', { never: notNull(p.integer()) });

const { lines, log } = recordingLog();
let fixture: FixtureServiceSystem;
let caller: TestCaller;
beforeAll(async () => {
  fixture = await startFixtureService({ log });
  caller = await connectCaller(fixture);
  await fixture.sql(`create function course.fail(code text) returns void language plpgsql as
    $$ begin raise exception 'made to fail' using errcode = code; end $$`);
});
afterAll(async () => {
  await caller?.stop();
  await fixture?.stop();
});
beforeEach(async () => {
  fixture.service.reset();
  lines.length = 0;
  await fixture.sql('truncate course.note');
});

const titles = async () =>
  (await fixture.sql<{ title: string }>('select title from course.note order by title')).map(({ title }) => title);
const eventsOf = async (title: string) =>
  (await fixture.sql("select 1 from course.log_entry where data ->> 'title' = $1", [title])).length;
const failures = () => lines.filter(({ msg }) => msg === 'call failed');
const addNoteAndEcho = async (session: Session, title: string) => {
  addNote(session, title);
  return { title };
};

describe('A call whose handler throws', () => {
  it('gets a 500 without the reason; the log has the reason and the trace, and nothing is stored', async () => {
    fixture.service.actions.write = async (session, title) => {
      await addNoteAndEcho(session, title);
      throw new Error('the secret reason');
    };
    const request_id = randomUUID();
    const { head, body } = await caller.performCall(
      fixtureServiceCalls.write,
      { title: 'lost' },
      { request_id, idempotency_key: 'k' },
    );
    expect(head).toMatchObject({ status: 500, type: 'application/problem+json' });
    expect(body).toMatchObject({ status: 500, code: 'internal', request_id });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(failures()).toMatchObject([
      {
        call: 'course.fixture.write',
        request_id,
        org_id: fixture.org,
        trace_id: request_id.replaceAll('-', ''),
        err: { message: 'the secret reason' },
      },
    ]);
    expect([await titles(), await eventsOf('lost')]).toEqual([[], 0]);
    expect(await fixture.sql("select 1 from course.idempotency_key where key = 'k'")).toEqual([]);
  });

  it('gets the thrown problem, which is not logged as a failure', async () => {
    fixture.service.actions.write = async (session, title) => {
      await addNoteAndEcho(session, title);
      throw new Problem('in_use', { detail: 'twice', members: { by: ['x'] } });
    };
    const { head, body } = await caller.performCall(fixtureServiceCalls.write, { title: 'refused' });
    expect(head.status).toBe(409);
    expect(body).toMatchObject({ code: 'in_use', detail: 'twice', by: ['x'] });
    expect([failures(), await titles(), await eventsOf('refused')]).toEqual([[], [], 0]);
  });

  it('fails if a statement without `await` fails, and nothing is stored', async () => {
    fixture.service.actions.write = async (session, title) => {
      session.run(FAIL, '22012');
      return addNoteAndEcho(session, title);
    };
    expect((await caller.performCall(fixtureServiceCalls.write, { title: 'unawaited' })).head.status).toBe(500);
    expect([await titles(), await eventsOf('unawaited')]).toEqual([[], 0]);
  });

  it('fails with the error of the first failing statement, not with that of a later one', async () => {
    fixture.service.actions.write = async (session, title) => {
      session.run(FAIL, '55P03');
      await session.query(FAIL, '22012');
      return { title };
    };
    const { head } = await caller.performCall(fixtureServiceCalls.write, { title: 'lost' });
    expect(head.status).toBe(503);
  });

  it.each(['25P03', '55P03', '57014'])(
    'is repeated if Postgres reports a time limit (%s) that was not reached, as after its clock was set forward',
    async (code) => {
      let tries = 0;
      fixture.service.actions.write = async (session, title) => {
        tries += 1;
        if (tries === 1) await session.query(FAIL, code);
        return addNoteAndEcho(session, title);
      };
      expect((await caller.performCall(fixtureServiceCalls.write, { title: 'again' })).head.status).toBe(200);
      expect([tries, await titles()]).toEqual([2, ['again']]);
    },
  );

  it('gets 503 when the database is not available', async () => {
    fixture.service.actions.write = async (session, title) => {
      await session.query(FAIL, '57P01');
      return { title };
    };
    expect((await caller.performCall(fixtureServiceCalls.write)).body).toMatchObject({
      status: 503,
      code: 'unavailable',
    });
    fixture.service.reset();
    expect((await caller.performCall(fixtureServiceCalls.write)).head.status).toBe(200);
  });
});

describe('A call with a value', () => {
  it.each(['22P02', '22003', '22007', '22021'])(
    'that the database refuses (%s) gets 400, and nothing is stored',
    async (code) => {
      fixture.service.actions.write = async (session, title) => {
        session.run(FAIL, code);
        return addNoteAndEcho(session, title);
      };
      expect((await caller.performCall(fixtureServiceCalls.write)).body).toMatchObject({
        status: 400,
        code: 'invalid_request',
      });
      expect([failures(), await titles()]).toEqual([[], []]);
    },
  );
});

describe('A lost race', () => {
  it.each(['40001', '40P01', '23P01'])('(%s) is retried, with one effect', async (code) => {
    let tries = 0;
    fixture.service.actions.write = async (session, title) => {
      addNote(session, title);
      tries += 1;
      if (tries < 4) await session.query(FAIL, code);
      return { title };
    };
    const { head } = await caller.performCall(fixtureServiceCalls.write, { title: `raced ${code}` });
    expect([head.status, tries]).toEqual([200, 4]);
    expect([await titles(), await eventsOf(`raced ${code}`)]).toEqual([[`raced ${code}`], 1]);
  });

  it('fails after four tries', async () => {
    let tries = 0;
    fixture.service.actions.write = async (session, title) => {
      tries += 1;
      session.run(FAIL, '40001');
      return addNoteAndEcho(session, title);
    };
    const { body } = await caller.performCall(fixtureServiceCalls.write, { title: 'hopeless' });
    expect(body).toMatchObject({ status: 503, code: 'unavailable' });
    expect([tries, await titles(), await eventsOf('hopeless')]).toEqual([4, [], 0]);
  });

  it('is recognized by its SQLSTATE: other failures are not retried', async () => {
    let tries = 0;
    fixture.service.actions.write = async (session, title) => {
      tries += 1;
      await session.query(FAIL, '23505');
      return { title };
    };
    expect((await caller.performCall(fixtureServiceCalls.write)).head.status).toBe(500);
    expect(tries).toBe(1);
  });

  it('of two transactions that wait for each other ends with both stored', async () => {
    const ids: string[] = [];
    fixture.service.actions.write = async (session) => {
      ids.push(addNote(session, '0').id);
      return { title: '' };
    };
    await Promise.all([caller.performCall(fixtureServiceCalls.write), caller.performCall(fixtureServiceCalls.write)]);
    const meeting = { arrived: 0 };
    fixture.service.actions.write = async (session, title) => {
      const [first = '', second = ''] = title === 'forth' ? ids : ids.toReversed();
      const one = await session.lock(NOTE, first);
      meeting.arrived += 1;
      await expect.poll(() => meeting.arrived).toBeGreaterThanOrEqual(2);
      const other = await session.lock(NOTE, second);
      for (const note of [one, other]) if (note) session.update(NOTE, { ...note, version: note.version + 1 });
      return { title };
    };
    const both = await Promise.all(
      ['forth', 'back'].map((title) => caller.performCall(fixtureServiceCalls.write, { title })),
    );
    expect(both.map(({ head }) => head.status)).toEqual([200, 200]);
    // The retry may lock its first row before the other transaction continues; then they wait for each other again.
    expect(meeting.arrived).toBeGreaterThanOrEqual(3);
    expect(await fixture.sql('select distinct version from course.note')).toEqual([{ version: 3 }]);
  });
});

describe('Work after the commit', () => {
  it('runs after the commit of the call or of a part of it, and not if the commit fails', async () => {
    const seen: string[] = [];
    fixture.service.actions.prepare = async (session, title) => {
      if (title === 'in parts')
        await session.inOwnTransaction(async (part) => {
          addNote(part, title);
          part.afterCommit(() => seen.push('a part'));
        });
      return { title };
    };
    fixture.service.actions.write = async (session, title) => {
      session.afterCommit(() => seen.push(title));
      if (title === 'refused') session.run(FAIL, '23514');
      return addNoteAndEcho(session, title);
    };
    for (const title of ['refused', 'in parts', 'whole'])
      await caller.performCall(fixtureServiceCalls.write, { title });
    expect(seen).toEqual(['a part', 'in parts', 'whole']);
    expect(await titles()).toEqual(['in parts', 'in parts', 'whole']);
  });

  it('runs in a transaction of its own before the answer, once, and a failure of it fails nothing else', async () => {
    fixture.service.actions.write = async (session, title) => {
      session.addFollowUp(async (next) => next.run(FAIL, '23514'));
      session.addFollowUp(async (next) => {
        addNote(next, `after ${title}`);
        next.addFollowUp(async (last) => void addNote(last, `last after ${title}`));
      });
      if (title === 'refused') session.run(FAIL, '23514');
      return addNoteAndEcho(session, title);
    };
    const write = async (title: string) =>
      (await caller.performCall(fixtureServiceCalls.write, { title }, { idempotency_key: title })).head.status;
    expect([await write('refused'), await write('stored'), await write('stored')]).toEqual([500, 200, 200]);
    expect(await titles()).toEqual(['after stored', 'last after stored', 'stored']);
    expect(lines.filter(({ msg }) => msg === 'a follow-up failed and is left to its job')).toHaveLength(1);
  });
});

describe('A read', () => {
  it.each<[string, (session: Session) => void]>([
    ['stores a row', (session) => session.remove(NOTE, randomUUID())],
    ['emits an event', (session) => session.emit(courseEvents.courseDeleted, 'x', { id: randomUUID() })],
  ])('that %s fails', async (_what, act) => {
    fixture.service.actions.read = async (session, title) => {
      act(session);
      return { title };
    };
    expect((await caller.performCall(fixtureServiceCalls.read)).head.status).toBe(500);
    expect(failures()).toMatchObject([
      { err: { message: expect.stringMatching(/a read cannot write|is declared as a read/) } },
    ]);
  });

  it('that is audited stores its audit entry, or is not answered', async () => {
    const id = randomUUID();
    const emit = (session: Session) => session.emit(courseEvents.courseDeleted, id, { id });
    fixture.service.actions.audited = async (session, title) => {
      emit(session);
      session.run(FAIL, '22012');
      return { title };
    };
    expect((await caller.performCall(fixtureServiceCalls.audited)).head.status).toBe(503);
    fixture.service.actions.audited = async (session, title) => {
      emit(session);
      return { title };
    };
    expect((await caller.performCall(fixtureServiceCalls.audited)).head.status).toBe(200);
    expect(await fixture.events('course', 'course.course.deleted')).toMatchObject([{ aggregate_id: id }]);
  });
});

describe('Under CHECK_REPLIES', () => {
  it.each<[string, unknown]>([
    ['more fields than its contract declares', { title: '', secret: 1 }],
    ['fewer fields than its contract declares', {}],
    ['more fields in a Reply', new Reply({ title: '', secret: 1 }, { status: 201 })],
    ['more fields in a serialized answer', new SerializedAnswer({ title: '', secret: 1 })],
  ])('an answer with %s fails', async (_what, answer) => {
    fixture.service.actions.read = async () => answer as { title: string };
    expect((await caller.performCall(fixtureServiceCalls.read)).head.status).toBe(500);
    expect(failures()).toHaveLength(1);
  });

  it('an event with more fields than its contract declares fails its transaction', async () => {
    fixture.service.actions.write = async (session, title) => {
      addNote(session, title);
      const data = { id: randomUUID(), more: 1 };
      session.emit(courseEvents.courseDeleted, data.id, data);
      return { title };
    };
    expect((await caller.performCall(fixtureServiceCalls.write, { title: 'too many fields' })).head.status).toBe(500);
    expect([await titles(), await eventsOf('too many fields')]).toEqual([[], 0]);
  });
});

describe('A caller', () => {
  it.each([
    ['without a permitted role', fixtureServiceCalls.read, { roles: ['STUDENT'] as const }],
    ['that is not a permitted service', fixtureServiceCalls.internal, {}],
  ])('%s is refused before the handler runs', async (_case, call, head) => {
    let done = false;
    fixture.service.actions.read = fixture.service.actions.internal = async (_session, title) => {
      done = true;
      return { title };
    };
    expect((await caller.performCall(call, {}, head)).body).toMatchObject({ code: 'forbidden' });
    expect(done).toBe(false);
  });

  it.each([
    ['that is malformed', async () => 'x'],
    [
      'of another organization',
      async () =>
        (await caller.performCall(fixtureServiceCalls.write, {}, { org_id: randomUUID() })).head.consistency_token,
    ],
  ])('with a consistency token %s is refused', async (_what, token) => {
    fixture.service.actions.read = async (session, title) => {
      await session.includesWrite();
      return { title };
    };
    const consistency_token = await token();
    const { body } = await caller.performCall(
      fixtureServiceCalls.read,
      {},
      consistency_token === undefined ? {} : { consistency_token },
    );
    expect(body).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('acts for another organization only in a call of `anyone`, and before the first statement', async () => {
    const other = randomUUID();
    fixture.service.actions.read = async (session, title) => {
      session.actFor(other);
      return { title };
    };
    expect((await caller.performCall(fixtureServiceCalls.read)).head.status).toBe(500);
    await fixture.sql(`insert into course.note values ($1, gen_random_uuid(), 'of the other', 't', 1, now(), now())`, [
      other,
    ]);
    const TITLES = statement('select title from note where org_id = $1', NOTE.pick('title').shape);
    fixture.service.actions.open = async (session) => {
      session.actFor(other, 'guest');
      const [note] = await session.query(TITLES, session.org_id);
      return { title: `${session.caller.user_id} ${note?.title}` };
    };
    expect((await caller.performCall(fixtureServiceCalls.open, {}, { roles: [] })).body).toEqual({
      title: 'guest of the other',
    });
  });
});
