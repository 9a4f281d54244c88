import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NatsCluster, startNatsCluster } from './nats-cluster.ts';
import { natsServers } from './newer-nats.ts';

const STREAM = 'KEPT';
const servers = (await natsServers()).flatMap((server) => ('path' in server ? [server] : []));

describe.each(servers)('three nats-servers $version', ({ path }) => {
  let cluster: NatsCluster;
  let admin: NatsConnection;
  beforeAll(async () => {
    cluster = await startNatsCluster(3, { program: path });
    admin = await cluster.admin();
  });
  afterAll(async () => {
    await admin?.close();
    await cluster?.stop();
  });

  const publish = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) await jetstream(admin).publish('kept.x', String(n), { timeout: 5_000 });
  };
  const stored = async () => (await jetstreamManager(admin)).streams.info(STREAM);

  it('keep a stream of three replicas when the one that leads it is gone', async () => {
    const manager = await jetstreamManager(admin);
    const made = await manager.streams.add({ name: STREAM, subjects: ['kept.>'], num_replicas: 3 });
    expect(made.cluster?.replicas).toHaveLength(2);
    await publish(10);
    const leader = await cluster.leaderOf(STREAM);
    expect(leader).toBeDefined();
    await leader?.kill();
    const names = cluster.nodes.filter((node) => node !== leader).map(({ name }) => name);
    await expect.poll(async () => (await cluster.leaderOf(STREAM))?.name, { timeout: 30_000 }).toBeOneOf(names);
    await publish(10);
    expect((await stored()).state.messages).toBe(20);
    await leader?.restart();
    const lagging = async () =>
      (await stored()).cluster?.replicas?.filter((replica) => !replica.current || replica.offline);
    await expect.poll(lagging, { timeout: 30_000 }).toEqual([]);
  });
});
