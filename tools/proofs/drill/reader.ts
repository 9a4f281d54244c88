import { setTimeout as sleep } from 'node:timers/promises';
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { connectOnce, streamName } from '../../../libs/kit/src/index.ts';
import { offsetOf } from '../../../libs/kit/src/log/offset.ts';
import { at, textAt } from '../system/plain-api.ts';
import type { System } from '../system/start-system.ts';
import { adminBus } from '../../operators/operator/bus.ts';

const PAGE = 500;
const EXPIRES_MS = 1_000;
/** What was on its way when a page ended comes again after this, and nothing behind it is asked for before. */
const AGAIN_AFTER_MS = 2_000;

/** Somebody outside who keeps the domain events of a service by the book (docs/subscribe.md). */
export interface OutsideReader {
  /** Reads what there is. */
  read: () => Promise<void>;
  /** Ids of what it takes for true, by number. */
  events: ReadonlyMap<number, string>;
  /** How many it dropped because the log said that they never happened. */
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
      const first = Number(at(event, 'data', 'first_no'));
      for (const no of events.keys()) {
        if (no < first) continue;
        events.delete(no);
        dropped += 1;
      }
    }
    events.set(offsetOf(Number(sequence)).no, textAt(event, 'id'));
  };

  const read = async (): Promise<void> => {
    const nc = await connectOnce(await adminBus(system.operator()), 'drill');
    try {
      const manager = await jetstreamManager(nc);
      // A broker that lost everything lost where its readers were, too.
      await manager.consumers.add(stream, {
        durable_name: 'drill',
        deliver_policy: DeliverPolicy.All,
        ack_policy: AckPolicy.Explicit,
        ack_wait: nanos(AGAIN_AFTER_MS),
      });
      const consumer = await jetstream(nc).consumers.get(stream, 'drill');
      for (let got = -1; got !== 0;) {
        got = 0;
        const { num_ack_pending } = await consumer.info();
        if (num_ack_pending > 0) await sleep(AGAIN_AFTER_MS);
        for await (const message of await consumer.fetch({ max_messages: PAGE, expires: EXPIRES_MS })) {
          got += 1;
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

/** Where what a reader holds for true differs from what the source says, in one line; nothing when they agree. */
export const readerFault = async (system: System, service: string, reader: OutsideReader): Promise<string[]> => {
  const rows = await system.postgres.sql<{ no: string; id: string }>(
    `select no, id from ${service}.log_numbered where log = 'domain'`,
  );
  const lacks = rows.filter(({ no, id }) => reader.events.get(Number(no)) !== id).length;
  const known = new Set(rows.map(({ id }) => id));
  const ghosts = [...reader.events.values()].filter((id) => !known.has(id)).length;
  return lacks + ghosts === 0
    ? []
    : [`a reader of ${service} lacks ${lacks} of ${rows.length} events and believes ${ghosts} that never happened`];
};
