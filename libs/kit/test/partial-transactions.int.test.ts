import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Problem } from '@teaching/contracts';
import { connectCaller, type TestCaller } from './test-caller.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';
import { addNote } from './fixture-service/note.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';

const { write, read } = fixtureServiceCalls;
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
beforeEach(() => fixture.service.reset());

const titles = async (like: string): Promise<string[]> =>
  (
    await fixture.sql<{ title: string }>('select title from course.note where title like $1 order by title', [like])
  ).map((row) => row.title);
const note = (title: string) => (part: Parameters<typeof addNote>[0]) => Promise.resolve(addNote(part, title));

it('a committed part of a call stays stored with its events, even if other parts or the call fail', async () => {
  fixture.service.actions.prepare = async (session, title) => {
    await session.inOwnTransaction(note(`${title} 1`));
    const refused = session.inOwnTransaction(async (part) => {
      addNote(part, `${title} 2`);
      throw new Problem('in_use');
    });
    await expect(refused).rejects.toMatchObject({ code: 'in_use' });
    await session.inOwnTransaction(note(`${title} 3`));
    return { title };
  };
  fixture.service.actions.write = async (session, title) => {
    addNote(session, `${title} 4`);
    throw new Problem('duplicate');
  };
  expect((await caller.performCall(write, { title: 'part' })).body.code).toBe('duplicate');
  expect(await titles('part%')).toEqual(['part 1', 'part 3']);
  const events = await fixture.sql<{ title: string }>(
    "select data ->> 'title' as title from course.log_entry where data ->> 'title' like 'part%' order by seq",
  );
  expect(events.map((row) => row.title)).toEqual(['part 1', 'part 3']);
});

it('a part that loses a race is retried without the other parts', async () => {
  const done: string[] = [];
  fixture.service.actions.prepare = async (session, title) => {
    await session.inOwnTransaction(async () => void done.push('first'));
    await session.inOwnTransaction(async (part) => {
      done.push('second');
      addNote(part, title);
      const lost = "do $$ begin raise exception using errcode = '40001'; end $$";
      if (done.length < 3) part.run({ name: 'lost_race', text: lost, shape: {} });
    });
    return { title };
  };
  expect((await caller.performCall(write, { title: 'race' })).head.status).toBe(200);
  expect(done).toEqual(['first', 'second', 'second']);
  expect(await titles('race')).toEqual(['race']);
});

it('a part cannot begin inside another transaction, or in a read', async () => {
  fixture.service.actions.write = async (session, title) => {
    await session.query({ name: 'some', text: 'select 1', shape: {} });
    await session.inOwnTransaction(note(title));
    return { title };
  };
  fixture.service.actions.read = async (session, title) => {
    await session.inOwnTransaction(note(title));
    return { title };
  };
  expect((await caller.performCall(write, { title: 'inside' })).head.status).toBe(500);
  expect((await caller.performCall(read, { title: 'inside' })).head.status).toBe(500);
  expect(await titles('inside')).toEqual([]);
});
