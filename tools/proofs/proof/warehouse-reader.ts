import { readFileSync, writeFileSync } from 'node:fs';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection, nanos, nkeyAuthenticator } from '@nats-io/transport-node';
import type { Reader } from '../../operators/broker/outside-reader.ts';
import { newKey } from '../../operators/broker/reader-account.ts';
import { waitFor } from '../system/poll.ts';
import type { System } from '../system/start-system.ts';

export const STREAM = 'EVENTS_CLAZZ';
const CONSUMER = 'reader_warehouse';
const ACK_WAIT_MS = 2_000;
const READY_TIMEOUT_MS = 60_000;

/** An outside reader of the events of classes, with its key, under the domain `teaching`. */
export interface WarehouseReader {
  reader: Reader;
  /** The sequences that it received, in the order of arrival. */
  received: number[];
  /** Receives up to `count` messages and acknowledges all but the last `left`. Returns their number. */
  read(nc: NatsConnection, count: number, left?: number): Promise<number>;
  connect(): Promise<NatsConnection>;
}

const serversOf = ({ brokers }: System): string[] => brokers.map((broker) => new URL(broker.url()).host);

/** Adds the reader to users.conf as release 0.2.0 does. */
export const addToSingleAccount = (file: string, { nkey }: Reader): void => {
  const publish = ['$JS.API.CONSUMER.INFO', '$JS.API.CONSUMER.MSG.NEXT', '$JS.ACK']
    .map((start) => `${start}.${STREAM}.${CONSUMER}${start === '$JS.ACK' ? '.>' : ''}`)
    .map((subject) => `        "${subject}"\n`)
    .join('');
  const permissions = `publish: [\n${publish}      ]\n      subscribe: [\n        "_INBOX_${CONSUMER}.>"\n      ]`;
  const user = `  {\n    nkey: ${nkey}\n    permissions {\n      ${permissions}\n    }\n  }\n]\n`;
  writeFileSync(file, readFileSync(file, 'utf8').replace(/\]\n$/, user));
};

export const createWarehouseReader = (system: System): WarehouseReader => {
  const { nkey, seed } = newKey();
  const received: number[] = [];
  return {
    reader: { name: 'warehouse', nkey, org_id: null, logs: [{ service: 'clazz', log: 'domain' }] },
    received,
    connect: () =>
      connect({
        servers: serversOf(system),
        authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
        inboxPrefix: `_INBOX_${CONSUMER}`,
      }),
    read: async (nc, count, left = 0) => {
      const consumer = await jetstream(nc, { domain: 'teaching', checkAPI: false }).consumers.get(STREAM, CONSUMER);
      let found = 0;
      for await (const message of await consumer.fetch({ max_messages: count, expires: 2 * ACK_WAIT_MS })) {
        found += 1;
        received.push(message.seq);
        if (found <= count - left) message.ack();
      }
      const isAcknowledged = async (): Promise<boolean> => (await consumer.info()).num_ack_pending === left;
      await waitFor('the broker has the acknowledgements', isAcknowledged, READY_TIMEOUT_MS);
      return found;
    },
  };
};

/** Creates the consumer in the single account, as the operator, once the brokers have elected leaders. */
export const createConsumer = async (system: System): Promise<void> => {
  const pass = system.operator()['NATS_ADMIN_PASSWORD'] ?? '';
  const nc = await connect({ servers: serversOf(system), user: 'admin', pass, inboxPrefix: '_INBOX_admin' });
  const create = async (): Promise<boolean> => {
    const manager = await jetstreamManager(nc);
    await manager.consumers.add(STREAM, {
      durable_name: CONSUMER,
      filter_subject: 'evt.*.clazz.>',
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ACK_WAIT_MS),
    });
    return true;
  };
  await waitFor('the consumer is created', create, READY_TIMEOUT_MS);
  await nc.close();
};
