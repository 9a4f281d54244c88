import { setTimeout as sleep } from 'node:timers/promises';
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { connectOnce, streamName } from '../../../libs/kit/src/index.ts';
import { offsetOf } from '../../../libs/kit/src/log/offset.ts';
import { fieldAt, textAt } from '../system/plain-api.ts';
import type { System } from '../system/start-system.ts';
import { adminBus } from '../../operators/operator/bus.ts';

const PAGE = 500;
const EXPIRES_MS = 1_000;
/** The broker sends unacknowledged messages again after this time. The reader waits for them before it fetches more. */
const ACK_WAIT_MS = 2_000;

/** A client outside the system that stores the domain events of a service as docs/subscribe.md describes. */
export interface OutsideReader {
  /** Reads all events that the stream contains. */
  read: () => Promise<void>;
  /** Ids of the events that the reader holds, by number in the log. */
  events: ReadonlyMap<number, string>;
  /** Number of events it dropped because the log announced that they were lost in a restore. */
  dropped: () => number;
}

export const createReader = (system: System, service: 'clazz' | 'course'): OutsideReader => {
  const stream = streamName(service, 'domain');
  const events = new Map<number, string>();
  let last = '';
  let dropped = 0;

  const take = (event: unknown): void => {
    const sequence = textAt(event, 'sequence');
    if (sequence <= last) return;
    last = sequence;
    if (textAt(event, 'type') === `${service}.log.restored.v1`) {
      const first = Number(fieldAt(event, 'data', 'first_no'));
      for (const no of events.keys()) {
        if (no < first) continue;
        events.delete(no);
        dropped += 1;
      }
    }
    events.set(offsetOf(Number(sequence)).no, textAt(event, 'id'));
  };

  const read = async (): Promise<void> => {
    const nc = await connectOnce({ ...(await adminBus(system.operator())), NATS_USER: `admin_${service}` }, 'drill');
    try {
      const manager = await jetstreamManager(nc);
      // A broker that lost its store also lost its consumers.
      await manager.consumers.add(stream, {
        durable_name: 'drill',
        deliver_policy: DeliverPolicy.All,
        ack_policy: AckPolicy.Explicit,
        ack_wait: nanos(ACK_WAIT_MS),
      });
      const consumer = await jetstream(nc).consumers.get(stream, 'drill');
      for (let fetched = -1; fetched !== 0;) {
        fetched = 0;
        const { num_ack_pending } = await consumer.info();
        if (num_ack_pending > 0) await sleep(ACK_WAIT_MS);
        for await (const message of await consumer.fetch({ max_messages: PAGE, expires: EXPIRES_MS })) {
          fetched += 1;
          take(message.json());
          message.ack();
        }
      }
    } finally {
      await nc.close();
    }
  };
  return { read, events, dropped: () => dropped };
};

/** How the events of a reader differ from the log of the source: one line, or nothing when they agree. */
export const readerDifferences = async (system: System, service: string, reader: OutsideReader): Promise<string[]> => {
  const rows = await system.postgres.sql<{ no: string; id: string }>(
    `select no, id from ${service}.log_numbered where log = 'domain'`,
  );
  const missing = rows.filter(({ no, id }) => reader.events.get(Number(no)) !== id).length;
  const known = new Set(rows.map(({ id }) => id));
  const extra = [...reader.events.values()].filter((id) => !known.has(id)).length;
  return missing + extra === 0
    ? []
    : [
        `a reader of ${service} lacks ${missing} of ${rows.length} events and holds ${extra} that the log does not contain`,
      ];
};
