import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Problem } from '@teaching/contracts';
import { ANY, callSubject } from '../src/rpc/subjects.ts';
import { connectCaller, type TestCaller } from './test-caller.ts';
import { recordingLog } from './recording-log.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';
import { fixtureServiceCalls, unansweredCall } from './fixture-service/calls.ts';

const { lines, log } = recordingLog();
let fixture: FixtureServiceSystem;
let caller: TestCaller;
/** Titles of the reads that began. */
let begun: string[] = [];
let release: () => void = () => {};
const { read } = fixtureServiceCalls;
const often = { interval: 5 };

beforeAll(async () => {
  fixture = await startFixtureService({ log, env: { CONCURRENCY: '1' } });
  caller = await connectCaller(fixture);
});
afterAll(async () => {
  await caller?.stop();
  await fixture?.stop();
});
/** Makes reads wait until `release` is called. */
beforeEach(() => {
  begun = [];
  lines.length = 0;
  const open = new Promise<void>((resolve) => {
    release = resolve;
  });
  fixture.service.actions.read = async (_session, title) => {
    begun.push(title);
    await open;
    return { title };
  };
});

afterEach(() => release());

/** Takes the only slot with a read, and returns once the read has begun. */
const occupy = async () => {
  const answer = caller.performCall(read, { title: 'first' });
  await expect.poll(() => begun, often).toEqual(['first']);
  return { answer };
};

describe('A service whose slots are all in use', () => {
  it('queues a limited number of calls and refuses the others at once', async () => {
    const first = await occupy();
    const waiting = Array.from({ length: 8 }, (_, n) => caller.performCall(read, { title: `${n}` }));
    const refused = await caller.performCall(read, { title: 'too many' });
    expect(refused.head).toMatchObject({ status: 503, type: 'application/problem+json' });
    expect(refused.body).toMatchObject({ code: 'unavailable', detail: 'Too many requests are waiting' });
    expect(begun).toEqual(['first']);
    release();
    const answers = await Promise.all([first.answer, ...waiting]);
    expect(answers.map(({ head }) => head.status)).toEqual(answers.map(() => 200));
    expect(begun).toEqual(['first', '0', '1', '2', '3', '4', '5', '6', '7']);
  });

  it('refuses a queued call before its deadline, and does not perform it', async () => {
    const first = await occupy();
    const late = caller.performCall(read, { title: 'late' }, { deadline: performance.now() + 1_000 });
    // It is answered while its caller still waits.
    expect((await late).body).toMatchObject({ status: 503, code: 'unavailable' });
    release();
    expect((await first.answer).head.status).toBe(200);
    expect(begun).toEqual(['first']);
  });

  it('answers all accepted calls before it stops', async () => {
    const first = await occupy();
    const second = caller.performCall(read, { title: 'second' });
    await pause(0);
    await caller.bus.nc.flush();
    const stopped = fixture.service.stop();
    release();
    await stopped;
    expect((await Promise.all([first.answer, second])).map(({ head }) => head.status)).toEqual([200, 200]);
    await expect(caller.performCall(read)).rejects.toMatchObject({ code: 'unavailable' });
    await fixture.service.start({}, { log });
  });
});

describe('A message that is not a call', () => {
  it.each([
    ['without a head line', 'no newline'],
    ['with a head that is not JSON', '{"org_id"\n{}'],
    ['with a head that is not an object', 'null\n{}'],
    ['without any content', ''],
  ])('%s is refused with 400, and the service continues', async (_what, text) => {
    const { head, body } = await caller.send(read, Buffer.from(text));
    expect(head.status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_request', detail: 'The message is not a call' });
    release();
    expect((await caller.performCall(read, { title: 'next' })).body).toEqual({ title: 'next' });
  });

  it('is refused with 400 also while the queue is full', async () => {
    const first = await occupy();
    const waiting = Array.from({ length: 8 }, () => caller.performCall(read));
    expect((await caller.send(read, Buffer.from('no newline'))).head.status).toBe(400);
    release();
    await Promise.all([first.answer, ...waiting]);
  });

  it('is ignored if it has no reply subject', async () => {
    caller.bus.nc.publish(callSubject(read, ANY, 'gateway'), 'no newline');
    release();
    expect((await caller.performCall(read, { title: 'next' })).body).toEqual({ title: 'next' });
    expect(lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it('in its query and body is refused with all problems of both', async () => {
    const bytes = (text: string | Uint8Array) => Buffer.concat([Buffer.from(head), Buffer.from(text)]);
    const head = `${JSON.stringify({
      caller: caller.sign({}),
      request_id: randomUUID(),
      deadline: Date.now() + 5_000,
      query: 'a=1&a=2&b=3',
    })}\n`;
    const paths = async (body: string | Uint8Array) =>
      (await caller.send(read, bytes(body))).body.errors?.map(({ path }) => path);
    expect(await paths('{"title":1,"x":2}')).toEqual(['/query/a', '/query/a', '/query/b', '/body/title', '/body/x']);
    expect(await paths('{')).toEqual(['/query/a', '/query/a', '/query/b', '/body']);
    expect(await paths(Uint8Array.of(0x22, 0xff, 0x22))).toEqual(['/query/a', '/query/a', '/query/b', '/body']);
  });
});

describe('A caller', () => {
  it.each([
    ['an hour behind', -3_600_000, { remaining_ms: 5_000 }, 'answered'],
    ['an hour ahead', 3_600_000, { remaining_ms: 5_000 }, 'answered'],
    [
      'right, but which no longer waits,',
      5_000,
      { remaining_ms: 5_000, sent_at: performance.now() - 6_000 },
      'timeout',
    ],
    ['right, and which is of version 0.2.0,', 5_000, {}, 'answered'],
  ])('whose clock is %s is answered if it still waits', async (_case, deadline_ms, times, expected) => {
    const head = { caller: caller.sign({}), request_id: randomUUID(), deadline: Date.now() + deadline_ms, ...times };
    const bytes = Buffer.from(`${JSON.stringify(head)}\n{"title":"skew"}`);
    release();
    const patience_ms = expected === 'timeout' ? 200 : 5_000;
    const outcome = await caller.send(read, bytes, patience_ms).then(
      () => 'answered',
      ({ code }: Problem) => code,
    );
    expect(outcome).toBe(expected);
  });

  it('gets `unavailable` at once when no instance serves the call', async () => {
    await expect(caller.performCall(unansweredCall)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'No service answers this call',
    });
  });

  it('gets `timeout` at its deadline', async () => {
    const first = await occupy();
    const bytes = Buffer.from(`${JSON.stringify({ caller: caller.sign({}), deadline: 0 })}\n`);
    await expect(caller.send(read, bytes, 200)).rejects.toMatchObject({ code: 'timeout' });
    release();
    await first.answer;
  });

  it('gets `payload_too_large` for a call that exceeds the largest message', async () => {
    await expect(caller.send(read, Buffer.alloc(9_000_000))).rejects.toMatchObject({
      code: 'payload_too_large',
    });
  });

  it('gets `unavailable` when the broker is lost during a call, and at once while it is away', async () => {
    const lost = caller.performCall(read, { title: 'first' }).catch((error: unknown) => error);
    await expect.poll(() => begun, often).toEqual(['first']);
    await fixture.nats.stop();
    expect(await lost).toMatchObject({ code: 'unavailable' });
    await expect(caller.performCall(read)).rejects.toMatchObject({ code: 'unavailable' });
    release();
    await fixture.nats.restart();
    await expect.poll(() => caller.bus.isUp()).toBe(true);
    await expect
      .poll(async () => (await caller.performCall(read, { title: 'back' }).catch(() => undefined))?.body)
      .toEqual({ title: 'back' });
  });
});
