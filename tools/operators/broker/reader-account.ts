import { AckPolicy, DeliverPolicy, JetStreamApiError } from '@nats-io/jetstream';
import { createUser } from '@nats-io/nkeys';
import { allEvents, type LogKind } from '../../../libs/contracts/src/index.ts';
import { brokerSubjects, type BusAddress, streamName } from '../../../libs/kit/src/index.ts';
import { managerOf, withStreams } from '../streams/managers.ts';
import { type Reader, userOf } from './outside-reader.ts';

/** Messages that are delivered but not acknowledged; they are delivered again. */
const MOST_OPEN = 1_000;
/** Nanoseconds after which an unacknowledged message is delivered again. */
const AGAIN_AFTER = 30_000_000_000;

/** Every log that can be read. */
export const LOGS: readonly { service: string; log: LogKind }[] = [
  ...new Map(allEvents.map(({ service, log }) => [`${service} ${log}`, { service, log }])).values(),
];

/** Creates a key pair of a broker user. Only the reader keeps the seed. */
export const newKey = (): { nkey: string; seed: string } => {
  const pair = createUser();
  return { nkey: pair.getPublicKey(), seed: new TextDecoder().decode(pair.getSeed()) };
};

/** Creates the consumers of a reader, which store its position. The reader cannot change what they deliver. */
export const makeConsumers = (bus: BusAddress, reader: Reader): Promise<void> =>
  withStreams(bus, 'readers', async (managers) => {
    for (const { service, log } of reader.logs) {
      await managerOf(managers, service).consumers.add(streamName(service, log), {
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

/** Removes the consumers with the reader's position. Repeating it does nothing. */
export const removeConsumers = (bus: BusAddress, reader: Reader): Promise<void> =>
  withStreams(bus, 'readers', async (managers) => {
    for (const { service, log } of reader.logs) {
      await managerOf(managers, service)
        .consumers.delete(streamName(service, log), userOf(reader))
        .catch((error: unknown) => {
          if (!(error instanceof JetStreamApiError && error.code === CONSUMER_NOT_FOUND)) throw error;
        });
    }
  });
