import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type NatsCluster, startNatsCluster } from '../../../tools/proofs/system/nats-cluster.ts';
import { connectBus, type Route, routes } from '../src/index.ts';
import { serve } from '../src/rpc/serve.ts';
import { connectCaller, type TestCaller } from './caller.ts';
import { keepingLog } from './log-lines.ts';
import { toyCalls } from './toy/calls.ts';

const { read } = toyCalls;
const { secrets } = inject('stack');
const { log } = keepingLog();
const org = randomUUID();
const stops: (() => Promise<void>)[] = [];
let broker: NatsCluster;
let caller: TestCaller;

/** An instance of a service that answers with `perform`. */
const startInstance = async (perform: () => Promise<void>): Promise<void> => {
  const address = { NATS_URL: broker.url, NATS_USER: 'course', NATS_PASSWORD: () => [secrets.nats.course] };
  const bus = await connectBus(address, 'course', log);
  const answer = async (_route: Route) => {
    await perform();
    return { head: { status: 200 }, body: '{}' };
  };
  const open = () => ({ org_id: org, user_id: 'tom', roles: [] });
  const parts = { service: 'course', concurrency: 100, transactions: 100, inProcess: false, open, log };
  const server = serve(bus, routes({ read }, { read: async () => ({ title: '' }) }), answer, parts);
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

it('a call goes to the instance that has the fewest of this caller, from its first heartbeat on', async () => {
  const served = [0, 0];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let isHolding = false;
  await startInstance(async () => {
    served[0] = (served[0] ?? 0) + 1;
    if (isHolding) await held;
  });
  await startInstance(async () => void (served[1] = (served[1] ?? 0) + 1));
  const askBoth = async (): Promise<readonly number[]> => {
    served.fill(0);
    await Promise.all(Array.from({ length: 20 }, () => caller.ask(read, { title: 'x' })));
    return served;
  };
  await expect.poll(askBoth).toEqual([10, 10]);
  isHolding = true;
  served.fill(0);
  const first = [caller.ask(read, { title: 'x' }), caller.ask(read, { title: 'x' })];
  await expect.poll(() => served).toEqual([1, 1]);
  for (let n = 0; n < 20; n += 1) await caller.ask(read, { title: 'x' });
  expect(served).toEqual([1, 21]);
  release();
  await Promise.all(first);
});
