import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type NatsCluster, startNatsCluster } from '../../../tools/proofs/system/nats-cluster.ts';
import { connectBus, type Route, routes } from '../src/index.ts';
import { serveCalls, type ServeOptions } from '../src/rpc/serve-calls.ts';
import { connectCaller, type TestCaller } from './test-caller.ts';
import { recordingLog } from './recording-log.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';

const { read } = fixtureServiceCalls;
const { secrets } = inject('stack');
const { log } = recordingLog();
const org = randomUUID();
const stops: (() => Promise<void>)[] = [];
let broker: NatsCluster;
let caller: TestCaller;

/** Starts an instance of a service that runs `perform` for each call. */
const startInstance = async (perform: () => Promise<void>): Promise<void> => {
  const address = { NATS_URL: broker.url, NATS_USER: 'course', NATS_PASSWORD: () => [secrets.nats.course] };
  const bus = await connectBus(address, 'course', log);
  const answer = async (_route: Route) => {
    await perform();
    return { head: { status: 200 }, body: '{}' };
  };
  const verifyCaller = () => ({ org_id: org, user_id: 'tom', roles: [] });
  const parts: ServeOptions = {
    service: 'course',
    concurrency: 100,
    transactions: 100,
    inProcess: false,
    verifyCaller,
    log,
  };
  const server = serveCalls(bus, routes({ read }, { read: async () => ({ title: '' }) }), answer, parts);
  server.join();
  stops.push(async () => {
    await server.leave();
    await bus.close();
  });
};

beforeAll(async () => {
  broker = await startNatsCluster(1, { secrets });
  stops.push(() => broker.stop());
  caller = await connectCaller({ org, nats: broker });
  stops.push(() => caller.stop());
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

it('a call is sent to the instance with the fewest pending calls of this caller, or in turn if these are equal', async () => {
  /** The instance that performed each call. */
  let order: number[] = [];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let isHolding = false;
  await startInstance(async () => {
    order.push(0);
    if (isHolding) await held;
  });
  await startInstance(async () => void order.push(1));
  const send = () => caller.performCall(read, { title: 'x' });
  const sendTwenty = async (): Promise<readonly number[]> => {
    order = [];
    for (let n = 0; n < 20; n += 1) await send();
    return order;
  };
  /** Before the first heartbeats, the broker picks an instance at random. */
  const isInTurn = async (): Promise<boolean> => (await sendTwenty()).every((one, n, all) => one !== all[n - 1]);
  await expect.poll(isInTurn).toBe(true);
  isHolding = true;
  order = [];
  const first = [send(), send()];
  await expect.poll(() => order.toSorted()).toEqual([0, 1]);
  expect(await sendTwenty()).toEqual(Array(20).fill(1));
  release();
  await Promise.all(first);
});
