import type { AnyCall } from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import type { RunningService } from '../src/index.ts';
import { connectCaller, type TestCaller } from './caller.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';

const { read, write } = fixtureServiceCalls;

let fixture: FixtureServiceSystem;
let caller: TestCaller;
beforeAll(async () => {
  fixture = await startFixtureService();
  await fixture.toy.stop();
  caller = await connectCaller(fixture);
});
afterAll(async () => {
  await caller?.stop();
  await fixture?.stop();
});

/** Messages that go to the broker for a call: it sends nothing else. */
const messagesOf = async (call: AnyCall): Promise<number> => {
  const before = caller.bus.nc.stats().outMsgs;
  const { head } = await caller.ask(call, { title: 'x' });
  expect(head.status).toBe(200);
  return caller.bus.nc.stats().outMsgs - before;
};
const startNear = async (): Promise<RunningService> => {
  const near = await fixture.toy.start({ IN_PROCESS_CALLS: 'on' });
  await expect.poll(() => messagesOf(read), POLL_OPTIONS).toBe(0);
  return near;
};

it('an instance of the same process is asked without the broker while it takes part, others by it', async () => {
  const near = await startNear();
  expect(await messagesOf(write)).toBe(0);
  const far = await fixture.toy.start();
  await expect.poll(() => messagesOf(read), POLL_OPTIONS).toBe(1);
  await near.stop();
  expect([await messagesOf(read), await messagesOf(read)]).toEqual([1, 1]);
  await far.stop();
});

it('is refused what it is not to be asked, as by the broker', async () => {
  const near = await startNear();
  const [bad, forged] = [await caller.ask(write, { title: 7 }), await caller.ask(read, undefined, { caller: 'me' })];
  expect([bad.head.status, forged.head.status]).toEqual([400, 403]);
  await near.stop();
});

it('what such an instance was asked it answers, though the broker is lost meanwhile', async () => {
  const near = await startNear();
  const { promise: told, resolve: go } = Promise.withResolvers<void>();
  fixture.toy.acts.write = async (_session, title) => {
    await told;
    return { title };
  };
  const asked = caller.ask(write, { title: 'kept' });
  await fixture.nats.stop();
  await expect.poll(() => caller.bus.isUp(), POLL_OPTIONS).toBe(false);
  await expect(caller.ask(write, { title: 'lost' })).rejects.toMatchObject({ code: 'unavailable' });
  go();
  expect(await asked).toMatchObject({ head: { status: 200 }, body: { title: 'kept' } });
  await fixture.nats.restart();
  await expect.poll(() => messagesOf(read).catch(() => undefined), POLL_OPTIONS).toBe(0);
  await near.stop();
});
