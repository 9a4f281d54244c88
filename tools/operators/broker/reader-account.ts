import {
  AckPolicy,
  DeliverPolicy,
  JetStreamApiError,
  jetstreamManager,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { createUser } from '@nats-io/nkeys';
import { allEvents, type LogKind } from '../../../libs/contracts/src/index.ts';
import { brokerSubjects, type BusAddress, connectOnce, streamName } from '../../../libs/kit/src/index.ts';
import { type Reader, userOf } from './reader.ts';

/** What is handed out and not yet read: a reader that is away gets it again. */
const MOST_OPEN = 1_000;
/** Whoever says nothing of a message for so long gets it again, in nanoseconds. */
const AGAIN_AFTER = 30_000_000_000;

/** Every log there is to read. */
export const LOGS: readonly { service: string; log: LogKind }[] = [
  ...new Map(allEvents.map(({ service, log }) => [`${service} ${log}`, { service, log }])).values(),
];

/** A key pair of a user of the broker; the seed is for the reader alone. */
export const newKey = (): { nkey: string; seed: string } => {
  const pair = createUser();
  return { nkey: pair.getPublicKey(), seed: new TextDecoder().decode(pair.getSeed()) };
};

const asOperator = async <T>(bus: BusAddress, work: (manager: JetStreamManager) => Promise<T>): Promise<T> => {
  const nc = await connectOnce(bus, 'readers');
  try {
    return await work(await jetstreamManager(nc));
  } finally {
    await nc.close();
  }
};

/** Makes the consumers of a reader, which keep where it is: the reader itself may not change what they hand out. */
export const makeConsumers = (bus: BusAddress, reader: Reader): Promise<void> =>
  asOperator(bus, async (manager) => {
    for (const { service, log } of reader.logs) {
      await manager.consumers.add(streamName(service, log), {
        durable_name: userOf(reader),
        description: `events for ${reader.name}`,
        filter_subject: brokerSubjects.events(service, log, reader.org_id ?? '*'),
        deliver_policy: DeliverPolicy.All,
        ack_policy: AckPolicy.Explicit,
        ack_wait: AGAIN_AFTER,
        max_ack_pending: MOST_OPEN,
      });
    }
  });

const CONSUMER_NOT_FOUND = 10014;

/** Removes them, and with them where the reader was; once more does nothing. */
export const removeConsumers = (bus: BusAddress, reader: Reader): Promise<void> =>
  asOperator(bus, async (manager) => {
    for (const { service, log } of reader.logs) {
      await manager.consumers.delete(streamName(service, log), userOf(reader)).catch((error: unknown) => {
        if (!(error instanceof JetStreamApiError && error.code === CONSUMER_NOT_FOUND)) throw error;
      });
    }
  });
