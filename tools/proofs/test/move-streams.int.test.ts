import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { streamConfig } from '../../../libs/kit/src/log/stream.ts';
import {
  type ChangingBrokers,
  publishAndRead,
  READER,
  receive,
  startWithSingleAccount,
} from './single-account-broker.ts';

let brokers: ChangingBrokers;
beforeAll(async () => {
  brokers = await startWithSingleAccount(1);
});
afterAll(() => brokers?.stop());

const withConnection = async <T>(
  user: 'admin' | 'admin_clazz',
  work: (nc: NatsConnection) => Promise<T>,
): Promise<T> => {
  const nc = await brokers.connect(user);
  try {
    return await work(nc);
  } finally {
    await nc.close();
  }
};

it('move-streams moves a stream with its sequences and the position of a reader to the account of its service', async () => {
  await withConnection('admin', (nc) => publishAndRead(nc, 1));
  const plan: string[] = [];
  expect(await brokers.move({ dryRun: true, lines: plan })).toEqual({ done: 'saved', streams: [] });
  expect(plan.join('\n')).toMatch(/EVENTS_CLAZZ: 10 messages up to 10, \d+ bytes, consumers: reader_warehouse at 2$/);
  const saved = {
    name: 'EVENTS_CLAZZ',
    messages: 10,
    last_seq: 10,
    consumers: [{ name: READER, delivered: 5, ack_floor: 2, num_ack_pending: 2 }],
  };
  expect(await brokers.move()).toEqual({ done: 'saved', streams: [saved] });

  await brokers.restart('accounts');
  await withConnection('admin_clazz', async (nc) => {
    // A service that started too early created its stream.
    const manager = await jetstreamManager(nc);
    await manager.streams.add(streamConfig('clazz', 'domain', { replicas: 1, max_bytes: 1_000_000 }));
    await jetstream(nc).publish('evt.one.clazz.lesson.created', 'early');
    await manager.consumers.add('EVENTS_CLAZZ', { durable_name: READER, ack_policy: AckPolicy.Explicit });
    await expect(brokers.move()).rejects.toThrow('EVENTS_CLAZZ: in use, so nothing was changed');

    expect(await brokers.move({ replace: true })).toEqual({ done: 'moved', streams: [saved] });
    expect(await receive(nc, 7)).toEqual([3, 5, 6, 7, 8, 9, 10]);
    const { seq } = await jetstream(nc).publish('evt.one.clazz.lesson.created', '11');
    expect(seq).toBe(11);
    // The repeated command changes nothing.
    const lines: string[] = [];
    await brokers.move({ lines });
    expect(lines.join('\n')).toContain('EVENTS_CLAZZ: is there already');
    expect((await manager.consumers.info('EVENTS_CLAZZ', READER)).ack_floor.stream_seq).toBe(10);
  });
  // The stream of the single account stays in the store, for the way back.
  await brokers.restart('single');
  expect(await withConnection('admin', (nc) => receive(nc, 7))).toEqual([3, 5, 6, 7, 8, 9, 10]);
});
