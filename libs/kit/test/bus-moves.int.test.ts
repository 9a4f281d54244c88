import { afterEach, expect, inject, it } from 'vitest';
import { type NatsCluster, startNatsCluster } from '../../../tools/test/nats-cluster.ts';
import { SOON } from '../../../tools/test/soon.ts';
import { type Bus, connectBus } from '../src/index.ts';
import { keepingLog } from './log-lines.ts';

const { secrets } = inject('stack');
const SUBJECT = 'nudge.clazz';

let cluster: NatsCluster;
const buses: Bus[] = [];
afterEach(async () => {
  await Promise.all(buses.splice(0).map((bus) => bus.close()));
  await cluster?.stop();
});

const connect = async (kept = keepingLog()): Promise<Bus> => {
  const address = { NATS_URL: cluster.url, NATS_USER: 'clazz', NATS_PASSWORD: () => [secrets.nats.clazz] };
  const bus = await connectBus(address, 'clazz', kept.log);
  buses.push(bus);
  return bus;
};

it('the bus is at another broker before its own one goes: nothing is lost or comes twice, and it is never down', async () => {
  cluster = await startNatsCluster(2, { secrets });
  const kept = keepingLog();
  const [speaker, listener] = [await connect(kept), await connect(kept)];
  let downs = 0;
  for (const bus of [speaker, listener]) bus.onDown(() => (downs += 1));
  const once: number[] = [];
  const atLeastOnce = new Set<number>();
  listener.listen(SUBJECT, { queue: 'mine', callback: (_error, message) => void once.push(Number(message.string())) });
  listener.listen(SUBJECT, { callback: (_error, message) => void atLeastOnce.add(Number(message.string())) });
  await listener.nc.flush();
  const said: number[] = [];
  const speaking = setInterval(() => {
    said.push(said.length);
    speaker.publishSoon(SUBJECT, Buffer.from(String(said.length - 1)));
  }, 1);
  for (const node of cluster.nodes) {
    await node.retire();
    await node.restart();
  }
  clearInterval(speaking);
  await expect.poll(() => atLeastOnce.size, SOON).toBe(said.length);
  await expect.poll(() => once.toSorted((a, b) => a - b), SOON).toEqual(said);
  expect(downs).toBe(0);
  // Each of them was at one of the two at least.
  const moves = kept.lines.filter(({ msg }) => msg === 'the broker goes: another one has taken its place');
  expect(moves.length).toBeGreaterThanOrEqual(2);
});
