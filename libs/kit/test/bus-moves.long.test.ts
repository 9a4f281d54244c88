import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '@teaching/contracts';
import { afterEach, expect, inject, it } from 'vitest';
import { type NatsCluster, startNatsCluster } from '../../../tools/proofs/system/nats-cluster.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { type Bus, connectBus, type Route, routes } from '../src/index.ts';
import { serve, type Server } from '../src/rpc/serve.ts';
import { connectCaller } from './caller.ts';
import { recordingLog } from './log-lines.ts';
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

/** It hears of the other brokers by itself. */
const connect = async (user: 'clazz' | 'course', at: number, kept = recordingLog()): Promise<Bus> => {
  const address = { NATS_URL: urlOf(at), NATS_USER: user, NATS_PASSWORD: () => [secrets.nats[user]] };
  const bus = await connectBus(address, user, kept.log);
  buses.push(bus);
  return bus;
};

it('the bus is at another broker before its own one goes: nothing is lost, and it is never down', async () => {
  cluster = await startNatsCluster(2, { secrets });
  const kept = recordingLog();
  const [speaker, listener] = [await connect('clazz', 0, kept), await connect('clazz', 1, kept)];
  let downs = 0;
  for (const bus of [speaker, listener]) bus.onDown(() => (downs += 1));
  const heard = new Set<number>();
  listener.listen(SUBJECT, { callback: (_error, message) => void heard.add(Number(message.string())) });
  await listener.nc.flush();
  const said: number[] = [];
  const speaking = setInterval(() => {
    said.push(said.length);
    speaker.publishSoon(SUBJECT, Buffer.from(String(said.length - 1)));
  }, 1);
  for (const node of cluster.nodes) await cluster.replace(node);
  clearInterval(speaking);
  await expect.poll(() => heard.size, POLL_OPTIONS).toBe(said.length);
  expect(downs).toBe(0);
  // Each of them was at one of the two at least.
  const moves = kept.lines.filter(({ msg }) => msg === 'the broker goes: another one has taken its place');
  expect(moves.length).toBeGreaterThanOrEqual(2);
});

it('calls are done once and answered while brokers go, and while instances leave and take part again', async () => {
  cluster = await startNatsCluster(2, { secrets });
  const org = randomUUID();
  const asked: string[] = [];
  const performed: string[] = [];
  const servers: Server[] = [];
  const { log } = recordingLog();
  for (let n = 0; n < 2; n += 1) {
    const perform = async (_route: Route, { body }: { body: Buffer }) => {
      performed.push(String(JSON.parse(body.toString()).title));
      // Longer than an answer needs to go; some also longer than the caller stays at a broker that goes.
      await sleep(performed.length % 50 === 0 ? 1_000 : performed.length % 10);
      return { head: { status: 200 }, body: '{}' };
    };
    const open = () => ({ org_id: org, user_id: 'tom', roles: [] });
    const parts = { service: 'course', concurrency: 50, transactions: 50, inProcess: false, open, log };
    const server = serve(
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
    caller.ask(write, { title }).then(
      ({ head }) => head.status,
      (problem: Problem) => problem.status,
    );
  await expect.poll(() => status('first'), POLL_OPTIONS).toBe(200);
  performed.length = 0;
  const asking = setInterval(() => {
    asked.push(`n${asked.length}`);
    answers.push(status(asked.at(-1) ?? ''));
  }, 1);
  for (let round = 0; round < 10; round += 1) {
    for (const server of servers) {
      await server.leave();
      server.join();
    }
  }
  for (const node of cluster.nodes) await cluster.replace(node);
  clearInterval(asking);
  expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
  expect(performed.toSorted()).toEqual(asked.toSorted());
  caller.requester.stop();
});

it('who loses its broker goes to another one first, since the lost one may take the connection and say nothing', async () => {
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
