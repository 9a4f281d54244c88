import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection, nanos } from '@nats-io/transport-node';
import { natsPasswords, secretsIn } from '@teaching/local/secrets.ts';
import { streamConfig } from '../../../libs/kit/src/log/stream.ts';
import { type MoveResult, moveStreams } from '../../operators/streams/move-streams.ts';
import { createBrokers, urlsOf } from '../system/nats-cluster.ts';
import { waitFor } from '../system/poll.ts';
import { inCheckout } from './run-tool.ts';

/** The account of release 0.2.0, with the operator as its only user. */
const SINGLE_ACCOUNT = `
max_payload: 8MB
jetstream { store_dir: $NATS_STORE_DIR, max_file_store: 10GB }
authorization { user: admin, password: $NATS_ADMIN_PASSWORD }
`;
const READY_TIMEOUT_MS = 60_000;
export const READER = 'reader_warehouse';

/** Brokers that can change between a single account and an account for each service, on the same store. */
export interface ChangingBrokers {
  /** Connects as the operator: to the single account, or to the account of a service. */
  connect(user: 'admin' | 'admin_clazz'): Promise<NatsConnection>;
  restart(layout: 'single' | 'accounts', program?: string): Promise<void>;
  /** Runs the command. `lines` receives what it prints. */
  move(options?: { dryRun?: boolean; replace?: boolean; lines?: string[] }): Promise<MoveResult>;
  stop(): Promise<void>;
}

export const startWithSingleAccount = async (size: number, program?: string): Promise<ChangingBrokers> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'teaching-accounts-'));
  const secrets = secretsIn(dataDir);
  const config = join(dataDir, 'nats.conf');
  writeFileSync(config, SINGLE_ACCOUNT);
  const brokers = await createBrokers(size, { dataDir, config, passwords: natsPasswords(secrets), program });
  const login = (user: string) => ({
    servers: urlsOf(brokers).split(','),
    user,
    pass: secrets.nats.admin,
    inboxPrefix: `_INBOX_${user}`,
  });
  const isReady = async (user: string): Promise<boolean> => {
    const nc = await connect(login(user));
    try {
      await (await jetstreamManager(nc)).streams.names().next();
      return true;
    } finally {
      await nc.close();
    }
  };
  const stop = async (): Promise<void> => {
    await Promise.all(brokers.map((broker) => broker.kill()));
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await Promise.all(brokers.map((broker) => broker.start()));
    await waitFor('the single account is ready', () => isReady('admin'), READY_TIMEOUT_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    connect: (user) => connect(login(user)),
    restart: async (layout, newProgram) => {
      await Promise.all(brokers.map((broker) => broker.stop()));
      if (layout === 'single') writeFileSync(config, SINGLE_ACCOUNT);
      else
        for (const file of ['nats.conf', 'users.conf'])
          copyFileSync(inCheckout(`deploy/nats/${file}`), join(dirname(config), file));
      await Promise.all(brokers.map((broker) => broker.restart(newProgram)));
      await waitFor(
        'streams are ready',
        () => isReady(layout === 'single' ? 'admin' : 'admin_clazz'),
        READY_TIMEOUT_MS,
      );
    },
    move: ({ dryRun = false, replace = false, lines = [] } = {}) =>
      moveStreams(
        { NATS_URL: urlsOf(brokers), NATS_USER: 'admin', NATS_PASSWORD: () => [secrets.nats.admin] },
        { folder: join(dataDir, 'saved'), dryRun, replace, print: (line) => void lines.push(line) },
      ),
    stop,
  };
};

/**
 * Creates the stream of the class service with messages 1 to 10 and a reader that received 1 to 5 and acknowledged 1, 2
 * and 4.
 */
export const publishAndRead = async (nc: NatsConnection, replicas: number): Promise<void> => {
  const manager = await jetstreamManager(nc);
  const client = jetstream(nc);
  const stream = streamConfig('clazz', 'domain', { replicas, max_bytes: 1_000_000 });
  await manager.streams.add(stream);
  for (let n = 1; n <= 10; n += 1) await client.publish('evt.one.clazz.lesson.created', `${n}`, { msgID: `${n}` });
  const ack_wait = nanos(500);
  await manager.consumers.add(stream.name, { durable_name: READER, ack_policy: AckPolicy.Explicit, ack_wait });
  const consumer = await client.consumers.get(stream.name, READER);
  for await (const message of await consumer.fetch({ max_messages: 5 }))
    if ([1, 2, 4].includes(message.seq)) await message.ackAck();
};

/** The sequences of the messages that the reader receives next. */
export const receive = async (nc: NatsConnection, count: number): Promise<number[]> => {
  const consumer = await jetstream(nc).consumers.get('EVENTS_CLAZZ', READER);
  const sequences: number[] = [];
  while (sequences.length < count)
    for await (const message of await consumer.fetch({ max_messages: count - sequences.length, expires: 1_000 })) {
      await message.ackAck();
      sequences.push(message.seq);
    }
  return sequences.toSorted((a, b) => a - b);
};
