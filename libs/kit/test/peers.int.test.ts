import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { Problem } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { systemCaller, callService, encodeFrame } from '../src/index.ts';
import { z } from 'zod';
import { connectCaller, type TestCaller } from './test-caller.ts';
import { recordingLog } from './recording-log.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';
import { fixtureServiceCalls, unansweredCall } from './fixture-service/calls.ts';
import { addNote } from './fixture-service/note.ts';

const { lines, log } = recordingLog();
let fixture: FixtureServiceSystem;
let caller: TestCaller;
const { internal, operated, read, write } = fixtureServiceCalls;

beforeAll(async () => {
  fixture = await startFixtureService({ log });
  caller = await connectCaller(fixture);
});
afterAll(async () => {
  await caller?.stop();
  await fixture?.stop();
});
/** The fixture service is its own peer: it calls itself over the bus as it would call another service. */
beforeEach(() => {
  fixture.service.reset();
  lines.length = 0;
  fixture.service.actions.read = (session, title) => session.peers.call(internal, { title });
});
const slow = async () => {
  await pause(2_000);
  return { title: 'too late' };
};
const reasons = () => lines.filter(({ msg }) => msg === 'call failed').map(({ err }) => (err as Error).message);

describe('A call to a peer service', () => {
  it('is made on behalf of the caller, within the deadline of the caller', async () => {
    fixture.service.actions.internal = async ({ caller: received }) => ({ title: JSON.stringify(received) });
    const request_id = 'c0ffee00-0000-7000-8000-000000000001';
    const { body } = await caller.performCall(
      read,
      {},
      { request_id, user_id: 'li', roles: ['SUPERVISOR'], ip: '10.0.0.1' },
    );
    const { org } = fixture;
    expect(JSON.parse(body.title)).toEqual({ org_id: org, user_id: 'li', roles: ['SUPERVISOR'], request_id });
    fixture.service.actions.internal = slow;
    const late = await caller.performCall(read, {}, { deadline: performance.now() + 300 });
    expect(late.body).toMatchObject({ status: 504, code: 'timeout' });
    expect(reasons()).toEqual(['timeout']);
  });

  it('that is refused throws the problem of the peer', async () => {
    const errors = [{ path: '/body/course_id', message: 'does not exist' }];
    fixture.service.actions.internal = async () => {
      throw new Problem('not_found', { detail: 'No such course', errors });
    };
    const { body } = await caller.performCall(read);
    expect(body).toMatchObject({ status: 404, code: 'not_found', detail: 'No such course', errors });
    expect(reasons()).toEqual([]);
  });

  it('that fails throws `internal`, without the reason of the peer', async () => {
    fixture.service.actions.internal = async () => {
      throw new Error('the secret of the peer');
    };
    const { body } = await caller.performCall(read);
    expect(body).toMatchObject({ status: 500, code: 'internal' });
    expect(reasons()).toEqual([
      'the secret of the peer',
      'An internal error occurred. Report `request_id` to the operator',
    ]);
  });

  it('that no instance serves is unavailable at once', async () => {
    fixture.service.actions.read = (session) => session.peers.call(unansweredCall, {});
    expect((await caller.performCall(read)).body).toMatchObject({ status: 503, code: 'unavailable' });
  });

  it('fails if the answer does not match the contract', async () => {
    const other = { ...internal, output: z.object({ else: z.string() }) };
    fixture.service.actions.read = async (session, title) => {
      await session.peers.call(other, {});
      return { title };
    };
    expect((await caller.performCall(read)).head.status).toBe(500);
    expect(reasons()).toHaveLength(1);
  });
});

describe('A write', () => {
  it('calls a peer in `prepare`, before it has a database connection', async () => {
    fixture.service.actions.prepare = (session, title) => session.peers.call(internal, { title });
    expect((await caller.performCall(write, { title: 'asked' })).body).toEqual({ title: 'asked' });
  });

  it('that calls a peer inside its transaction fails, and nothing is stored', async () => {
    fixture.service.actions.write = async (session, title) => {
      addNote(session, title);
      return session.peers.call(internal, { title });
    };
    expect((await caller.performCall(write, { title: 'inside' })).head.status).toBe(500);
    expect(reasons()).toEqual(['course.fixture.write calls another service inside its transaction']);
    expect(await fixture.sql("select 1 from course.note where title = 'inside'")).toEqual([]);
  });

  it('does not begin if the peer refuses', async () => {
    let isBegun = false;
    fixture.service.actions.prepare = async () => {
      throw new Problem('in_use');
    };
    fixture.service.actions.write = async (_session, title) => {
      isBegun = true;
      return { title };
    };
    expect((await caller.performCall(write)).body).toMatchObject({ code: 'in_use' });
    expect(isBegun).toBe(false);
  });
});

describe('A tool', () => {
  it('calls without a person, under its own user name', async () => {
    fixture.service.actions.operated = async ({ caller: received }) => ({
      title: `${received.user_id} ${received.org_id} ${received.roles.join()}`,
    });
    const answer = await callService(systemCaller(caller.requester, 5_000), operated, {});
    expect(answer.title).toBe('gateway 00000000-0000-0000-0000-000000000000 ');
  });

  it('gets refusals as problems, and does not wait longer than its patience', async () => {
    fixture.service.actions.operated = async () => {
      throw new Problem('not_found', 'Nothing here');
    };
    const ask = () => callService(systemCaller(caller.requester, 300), operated, {});
    await expect(ask()).rejects.toMatchObject({ code: 'not_found', message: 'Nothing here' });
    fixture.service.actions.operated = slow;
    await expect(ask()).rejects.toMatchObject({ code: 'timeout' });
  });
});

describe('A reply', () => {
  it('in the name of another service, or with another key, is ignored', async () => {
    const nc = await connect({
      servers: fixture.nats.url,
      user: 'admin_course',
      pass: inject('stack').secrets.nats.admin,
    });
    const forged = Promise.withResolvers<void>();
    const request_id = 'c0ffee00-0000-7000-8000-000000000002';
    const frame = encodeFrame({ status: 200, request_id }, JSON.stringify({ title: 'forged' }));
    nc.subscribe(`call.course.*.gateway.${read.endpoint}`, {
      callback: (_error, { reply = '' }) => {
        const [prefix = '', responder = '', inbox = '', key = ''] = reply.split('.');
        for (const [name, secret] of [
          ['clazz', key],
          ['gateway', key],
          [responder, randomUUID()],
        ])
          nc.publish([prefix, name, inbox, secret].join('.'), frame);
        nc.flush().then(forged.resolve, forged.reject);
      },
    });
    await nc.flush();
    fixture.service.actions.read = async () => {
      await forged.promise;
      return { title: 'true' };
    };
    expect((await caller.performCall(read, {}, { request_id })).body).toEqual({ title: 'true' });
    await nc.close();
  });
});
