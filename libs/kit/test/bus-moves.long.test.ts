import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '@teaching/contracts';
import { afterEach, expect, inject, it } from 'vitest';
import { type NatsCluster, startNatsCluster } from '../../../tools/proofs/system/nats-cluster.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { type Bus, connectBus, type Route, routes } from '../src/index.ts';
import { serveCalls, type ServeOptions, type Server } from '../src/rpc/serve-calls.ts';
import { connectCaller } from './test-caller.ts';
import { recordingLog } from './recording-log.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';

const { secrets } = inject('stack');
const SUBJECT = 'nudge.clazz';
const { write } = fixtureServiceCalls;

let cluster: NatsCluster;
const buses: Bus[] = [];
afterEach(async () => {
  await Promise.all(buses.splice(0).map((bus) => bus.close()));
  await cluster?.stop();
});

const urlOf = (at: number): string => cluster.nodes[at]?.url() ?? '';

/** Connects to one broker. The client learns the addresses of the others from it. */
const connect = async (user: 'clazz' | 'course', at: number, recorded = recordingLog()): Promise<Bus> => {
  const address = { NATS_URL: urlOf(at), NATS_USER: user, NATS_PASSWORD: () => [secrets.nats[user]] };
  const bus = await connectBus(address, user, recorded.log);
  buses.push(bus);
  return bus;
};

it('the bus moves before its broker stops: no message is lost and the bus is never down', async () => {
  cluster = await startNatsCluster(2, { secrets });
  const recorded = recordingLog();
  const [publisher, listener] = [await connect('clazz', 0, recorded), await connect('clazz', 1, recorded)];
  let downs = 0;
  for (const bus of [publisher, listener]) bus.onDown(() => (downs += 1));
  const received = new Set<number>();
  listener.listen(SUBJECT, { callback: (_error, message) => void received.add(Number(message.string())) });
  await listener.nc.flush();
  const published: number[] = [];
  const publishing = setInterval(() => {
    published.push(published.length);
    publisher.publishSoon(SUBJECT, Buffer.from(String(published.length - 1)));
  }, 1);
  for (const node of cluster.nodes) await cluster.replace(node);
  clearInterval(publishing);
  await expect.poll(() => received.size, POLL_OPTIONS).toBe(published.length);
  expect(downs).toBe(0);
  // Each of the two brokers had at least one of the connections.
  const moves = recorded.lines.filter(({ msg }) => msg === 'moved to another broker, since the former one stops');
  expect(moves.length).toBeGreaterThanOrEqual(2);
});

it('calls are performed once and answered while brokers stop, and while instances leave and join again', async () => {
  cluster = await startNatsCluster(2, { secrets });
  const org = randomUUID();
  const sent: string[] = [];
  const performed: string[] = [];
  const servers: Server[] = [];
  const { log } = recordingLog();
  for (let n = 0; n < 2; n += 1) {
    const perform = async (_route: Route, { body }: { body: Buffer }) => {
      performed.push(String(JSON.parse(body.toString()).title));
      // Longer than a reply takes; sometimes also longer than the caller stays connected to a broker that stops.
      await sleep(performed.length % 50 === 0 ? 1_000 : performed.length % 10);
      return { head: { status: 200 }, body: '{}' };
    };
    const verifyCaller = () => ({ org_id: org, user_id: 'tom', roles: [] });
    const parts: ServeOptions = {
      service: 'course',
      concurrency: 50,
      transactions: 50,
      inProcess: false,
      verifyCaller,
      log,
    };
    const server = serveCalls(
      await connect('course', 1),
      routes({ write }, { write: async () => ({ title: '' }) }),
      perform,
      parts,
    );
    server.join();
    servers.push(server);
  }
  const caller = await connectCaller({ org, nats: { url: urlOf(0) } });
  buses.push(caller.bus);
  const answers: Promise<number>[] = [];
  const status = (title: string): Promise<number> =>
    caller.performCall(write, { title }).then(
      ({ head }) => head.status,
      (problem: Problem) => problem.status,
    );
  await expect.poll(() => status('first'), POLL_OPTIONS).toBe(200);
  performed.length = 0;
  const sending = setInterval(() => {
    sent.push(`n${sent.length}`);
    answers.push(status(sent.at(-1) ?? ''));
  }, 1);
  for (let round = 0; round < 10; round += 1) {
    for (const server of servers) {
      await server.leave();
      server.join();
    }
  }
  for (const node of cluster.nodes) await cluster.replace(node);
  clearInterval(sending);
  expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
  expect(performed.toSorted()).toEqual(sent.toSorted());
  caller.requester.stop();
});

it('a process that lost its broker tries another one first, since a frozen broker accepts connections and never answers', async () => {
  cluster = await startNatsCluster(2, { secrets });
  const bus = await connect('clazz', 0);
  let tried = 0;
  const count = async (): Promise<void> => {
    for await (const { type } of bus.nc.status()) if (type === 'reconnecting') tried += 1;
  };
  void count();
  const [own, other] = cluster.nodes;
  own?.freeze();
  await expect
    .poll(() => bus.isUp() && other?.url().endsWith(`:${bus.nc.info?.port}`), POLL_OPTIONS)
    .toBe(true)
    .finally(() => own?.thaw());
  expect(tried).toBe(1);
});
