import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type NatsCluster, startNatsCluster } from '../system/nats-cluster.ts';
import { natsServers } from './newer-nats.ts';

const STREAM = 'KEPT';
const PATIENT = { timeout: 60_000 };
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

  let published = 0;
  /** A stream that was just made, or lost a server, may not be known everywhere: tried again under the same id. */
  const publish = async (count: number): Promise<void> => {
    for (const end = published + count; published < end; published += 1) {
      const message = { timeout: 5_000, msgID: String(published) };
      await vi.waitFor(() => jetstream(admin).publish('kept.x', '', message), PATIENT);
    }
  };
  /** Undefined while nobody answers: servers that lost one of them take some seconds to agree again. */
  const stored = async () => {
    const manager = await jetstreamManager(admin, { checkAPI: false });
    return manager.streams.info(STREAM).catch(() => undefined);
  };
  it('keep a stream of three replicas when the one that leads it is gone', async () => {
    const manager = await jetstreamManager(admin);
    const made = await manager.streams.add({ name: STREAM, subjects: ['kept.>'], num_replicas: 3 });
    expect(made.cluster?.replicas).toHaveLength(2);
    await publish(10);
    const leader = await cluster.leaderOf(STREAM);
    expect(leader).toBeDefined();
    await leader?.kill();
    const names = cluster.nodes.filter((node) => node !== leader).map(({ name }) => name);
    await expect.poll(async () => (await cluster.leaderOf(STREAM))?.name, PATIENT).toBeOneOf(names);
    await publish(10);
    await expect.poll(async () => (await stored())?.state.messages, PATIENT).toBe(20);
    await leader?.restart();
    const current = async () =>
      (await stored())?.cluster?.replicas?.filter((replica) => replica.current && !replica.offline);
    await expect.poll(current, PATIENT).toHaveLength(2);
  });
});
