import type { AnyCall } from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import type { RunningService } from '../src/index.ts';
import { connectCaller, type TestCaller } from './test-caller.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';

const { read, write } = fixtureServiceCalls;

let fixture: FixtureServiceSystem;
let caller: TestCaller;
beforeAll(async () => {
  fixture = await startFixtureService();
  await fixture.service.stop();
  caller = await connectCaller(fixture);
});
afterAll(async () => {
  await caller?.stop();
  await fixture?.stop();
});

/** The number of messages that a call sends to the broker. The caller sends nothing else. */
const messagesOf = async (call: AnyCall): Promise<number> => {
  const before = caller.bus.nc.stats().outMsgs;
  const { head } = await caller.performCall(call, { title: 'x' });
  expect(head.status).toBe(200);
  return caller.bus.nc.stats().outMsgs - before;
};
const startLocal = async (): Promise<RunningService> => {
  const local = await fixture.service.start({ IN_PROCESS_CALLS: 'on' });
  await expect.poll(() => messagesOf(read), POLL_OPTIONS).toBe(0);
  return local;
};

it('an instance in the same process is called without the broker while it serves, and others through the broker', async () => {
  const local = await startLocal();
  expect(await messagesOf(write)).toBe(0);
  const remote = await fixture.service.start();
  await expect.poll(() => messagesOf(read), POLL_OPTIONS).toBe(1);
  await local.stop();
  expect([await messagesOf(read), await messagesOf(read)]).toEqual([1, 1]);
  await remote.stop();
});

it('a local call is refused for the same reasons as a call through the broker', async () => {
  const local = await startLocal();
  const [bad, forged] = [
    await caller.performCall(write, { title: 7 }),
    await caller.performCall(read, undefined, { caller: 'me' }),
  ];
  expect([bad.head.status, forged.head.status]).toEqual([400, 403]);
  await local.stop();
});

it('a local call is answered even if the broker is lost in the meantime', async () => {
  const local = await startLocal();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  fixture.service.actions.write = async (_session, title) => {
    await released;
    return { title };
  };
  const answer = caller.performCall(write, { title: 'kept' });
  await fixture.nats.stop();
  await expect.poll(() => caller.bus.isUp(), POLL_OPTIONS).toBe(false);
  await expect(caller.performCall(write, { title: 'lost' })).rejects.toMatchObject({ code: 'unavailable' });
  release();
  expect(await answer).toMatchObject({ head: { status: 200 }, body: { title: 'kept' } });
  await fixture.nats.restart();
  await expect.poll(() => messagesOf(read).catch(() => undefined), POLL_OPTIONS).toBe(0);
  await local.stop();
});
