import type { Role } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectCaller, type TestCaller } from './caller.ts';
import { recordingLog } from './log-lines.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';
import { addNote } from './fixture-service/note.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';

const { lines, log } = recordingLog();
let fixture: FixtureServiceSystem;
let caller: TestCaller;
beforeAll(async () => {
  fixture = await startFixtureService({ log });
  caller = await connectCaller(fixture);
});
afterAll(async () => {
  await caller?.stop();
  await fixture?.stop();
});
beforeEach(async () => {
  fixture.toy.reset();
  lines.length = 0;
  await fixture.sql('truncate course.note');
});

const { owned, seen } = fixtureServiceCalls;
const notes = () => fixture.sql('select title from course.note');
const ROLES = ['SUPERVISOR', 'TEACHER'] as const satisfies readonly Role[];
const reasons = () => lines.flatMap(({ err }) => (err as { message?: string } | undefined)?.message ?? []);
const statusOf = async (call: typeof owned, role: Role, user_id?: string) =>
  (await caller.ask(call, { title: 'it' }, { roles: [role], ...(user_id === undefined ? {} : { user_id }) })).head
    .status;

describe('a handler that forgets to ask whose it is', () => {
  it.each(ROLES)('stores and tells nothing, and answers a %s nothing', async (role) => {
    fixture.toy.acts.owned = async (session, title) => {
      addNote(session, title);
      return { title };
    };
    expect(await statusOf(owned, role)).toBe(500);
    expect(await statusOf(seen, role)).toBe(500);
    expect(await notes()).toEqual([]);
    expect(reasons()).toEqual(['course.toy.owned did not ask whose it is', 'course.toy.seen did not ask whose it is']);
  });

  it('before the transaction has asked too early: it may be another’s by now', async () => {
    fixture.toy.acts.prepare = async (session, title) => {
      session.reach.requireOwner('teacher-1');
      return { title };
    };
    expect(await statusOf(owned, 'TEACHER')).toBe(500);
  });
});

it('what is asked is answered as the contract says', async () => {
  const asking = async (session: Parameters<typeof addNote>[0], title: string) => {
    session.reach.requireOwner('ann');
    return { title };
  };
  fixture.toy.acts.owned = asking;
  fixture.toy.acts.seen = asking;
  for (const call of [owned, seen]) {
    expect([
      await statusOf(call, 'TEACHER', 'ann'),
      await statusOf(call, 'TEACHER', 'ben'),
      await statusOf(call, 'SUPERVISOR', 'ben'),
    ]).toEqual([200, 403, 200]);
  }
});

it('a rule that is not the contract’s answers nobody', async () => {
  fixture.toy.acts.seen = async (session, title) => {
    session.reach.require({ lead: session.caller.user_id }, 'never');
    return { title };
  };
  expect(await statusOf(seen, 'SUPERVISOR')).toBe(500);
  expect(reasons()).toEqual(['course.toy.seen goes by owner for a TEACHER, not by lead']);
});
