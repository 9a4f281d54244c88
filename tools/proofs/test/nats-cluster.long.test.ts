import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type NatsCluster, startNatsCluster } from '../system/nats-cluster.ts';
import { natsServers } from './newer-nats.ts';

const STREAM = 'KEPT';
const POLL = { timeout: 60_000 };
const servers = (await natsServers()).flatMap((server) => ('path' in server ? [server] : []));

describe.each(servers)('Three nats-servers $version', ({ path }) => {
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
  /** Publishes with retries under the same message id, because a new or damaged stream may not be known everywhere. */
  const publish = async (count: number): Promise<void> => {
    for (const end = published + count; published < end; published += 1) {
      const message = { timeout: 5_000, msgID: String(published) };
      await vi.waitFor(() => jetstream(admin).publish('kept.x', '', message), POLL);
    }
  };
  /** Undefined while no server answers. After the loss of a server the others need seconds to agree. */
  const stored = async () => {
    const manager = await jetstreamManager(admin, { checkAPI: false });
    return manager.streams.info(STREAM).catch(() => undefined);
  };
  it('keep a stream of three replicas when its leader is killed', async () => {
    const manager = await jetstreamManager(admin);
    const made = await manager.streams.add({
      name: STREAM,
      subjects: ['kept.>'],
      num_replicas: 3,
      max_bytes: 1_000_000,
    });
    expect(made.cluster?.replicas).toHaveLength(2);
    await publish(10);
    const leader = await cluster.leaderOf(STREAM);
    expect(leader).toBeDefined();
    await leader?.kill();
    const names = cluster.nodes.filter((node) => node !== leader).map(({ name }) => name);
    await expect.poll(async () => (await cluster.leaderOf(STREAM))?.name, POLL).toBeOneOf(names);
    await publish(10);
    await expect.poll(async () => (await stored())?.state.messages, POLL).toBe(20);
    await leader?.restart();
    const current = async () =>
      (await stored())?.cluster?.replicas?.filter((replica) => replica.current && !replica.offline);
    await expect.poll(current, POLL).toHaveLength(2);
  });
});
