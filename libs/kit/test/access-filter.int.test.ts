import type { Role } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectCaller, type TestCaller } from './test-caller.ts';
import { recordingLog } from './recording-log.ts';
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
  fixture.service.reset();
  lines.length = 0;
  await fixture.sql('truncate course.note');
});

const { owned, seen } = fixtureServiceCalls;
const notes = () => fixture.sql('select title from course.note');
const ROLES = ['SUPERVISOR', 'TEACHER'] as const satisfies readonly Role[];
const reasons = () => lines.flatMap(({ err }) => (err as { message?: string } | undefined)?.message ?? []);
const statusOf = async (call: typeof owned, role: Role, user_id?: string) =>
  (await caller.performCall(call, { title: 'it' }, { roles: [role], ...(user_id === undefined ? {} : { user_id }) }))
    .head.status;

describe('A handler that does not check access', () => {
  it.each(ROLES)('stores nothing, emits no event, and answers a %s with 500', async (role) => {
    fixture.service.actions.owned = async (session, title) => {
      addNote(session, title);
      return { title };
    };
    expect(await statusOf(owned, role)).toBe(500);
    expect(await statusOf(seen, role)).toBe(500);
    expect(await notes()).toEqual([]);
    expect(reasons()).toEqual([
      'course.fixture.owned did not check access',
      'course.fixture.seen did not check access',
    ]);
  });

  it('in its transaction fails, even if it checked access before: the owner may have changed', async () => {
    fixture.service.actions.prepare = async (session, title) => {
      session.access.requireOwner('teacher-1');
      return { title };
    };
    expect(await statusOf(owned, 'TEACHER')).toBe(500);
  });
});

it('a handler that checks access answers as the contract declares', async () => {
  const checkOwner = async (session: Parameters<typeof addNote>[0], title: string) => {
    session.access.requireOwner('ann');
    return { title };
  };
  fixture.service.actions.owned = checkOwner;
  fixture.service.actions.seen = checkOwner;
  for (const call of [owned, seen]) {
    expect([
      await statusOf(call, 'TEACHER', 'ann'),
      await statusOf(call, 'TEACHER', 'ben'),
      await statusOf(call, 'SUPERVISOR', 'ben'),
    ]).toEqual([200, 403, 200]);
  }
});

it('a handler that checks a rule which its contract does not name fails for every caller', async () => {
  fixture.service.actions.seen = async (session, title) => {
    session.access.requireAccess({ lead: session.caller.user_id }, 'never');
    return { title };
  };
  expect(await statusOf(seen, 'SUPERVISOR')).toBe(500);
  expect(reasons()).toEqual([
    'course.fixture.seen has the access rules owner for a TEACHER, but the handler checked lead',
  ]);
});
