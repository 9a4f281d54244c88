/**
 * Reads events of the system from outside and continues where the last run stopped. Prints each event once, as a line
 * of JSON.
 *
 *   NATS_URL=nats://broker:4222 READER=warehouse READER_SEED=SU… STATE=./state.json node examples/subscribe.ts EVENTS_CLAZZ
 *
 * Comments mark the three tasks of a subscriber: continue after a restart, skip duplicates, keep the order.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream, type ConsumerMessages } from '@nats-io/jetstream';
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';

const { NATS_URL = '', READER = '', READER_SEED = '', STATE = './state.json' } = process.env;
const [stream = 'EVENTS_CLAZZ'] = process.argv.slice(2);
const user = `reader_${READER}`;

/** The `sequence` of the last handled event. It has 16 digits, so strings compare like numbers. */
let last = existsSync(STATE) ? readFileSync(STATE, 'utf8') : '';
const remember = (sequence: string): void => {
  writeFileSync(`${STATE}.new`, sequence);
  renameSync(`${STATE}.new`, STATE);
  last = sequence;
};

const nc = await connect({
  servers: NATS_URL.split(','),
  authenticator: nkeyAuthenticator(new TextEncoder().encode(READER_SEED)),
  // The account may subscribe to this inbox only.
  inboxPrefix: `_INBOX_${user}`,
});
// Continue after a restart: the consumer is durable, so the broker stores the acknowledgements.
const consumer = await jetstream(nc, { domain: 'teaching', checkAPI: false }).consumers.get(stream, user);
let messages: ConsumerMessages | undefined;
const over = new AbortController();
/** A request for messages ends after this time, also when its connection was lost. */
const REQUEST_MS = 2_000;
const pause = (ms: number): Promise<unknown> => sleep(ms, undefined, over).catch(() => undefined);

const read = async (): Promise<void> => {
  // A message that was delivered but not acknowledged is delivered again after `ack_wait`, before all others. The waits
  // ensure that it is not delivered to a request of a lost connection, and that no later message arrives before it.
  while ((await consumer.info()).num_waiting > 0 && !over.signal.aborted) await pause(100);
  const { num_ack_pending, config } = await consumer.info();
  if (num_ack_pending > 0) await pause((config.ack_wait ?? 0) / 1_000_000);
  if (over.signal.aborted) return;
  messages = await consumer.consume({ max_messages: 100, expires: REQUEST_MS });
  if (over.signal.aborted) messages.stop();
  // Keep the order: handle one message at a time, and acknowledge it after it is handled.
  for await (const message of messages) {
    const event = message.json<{ sequence: string }>();
    // Skip duplicates: a message is delivered again if its acknowledgement was lost. Then its
    // `sequence` is not greater.
    if (event.sequence > last) {
      console.log(JSON.stringify(event));
      // With a database of your own, store the sequence in the same transaction as the result of the event.
      remember(event.sequence);
    }
    message.ack();
  }
};

const stop = (): void => {
  over.abort();
  messages?.stop();
};
process.once('SIGINT', stop).once('SIGTERM', stop);
// Messages that were in transit are lost with the connection, so reading starts again after a reconnect.
const watch = async (): Promise<void> => {
  for await (const { type } of nc.status()) if (type === 'reconnect') messages?.stop();
};
void watch();

while (!over.signal.aborted && !nc.isClosed()) await read();
await nc.close();
