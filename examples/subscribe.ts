/**
 * Reads events of the system from outside, and goes on where it stopped. Prints each event once, as a line of JSON.
 *
 *   NATS_URL=nats://broker:4222 READER=warehouse READER_SEED=SU… STATE=./state.json node examples/subscribe.ts EVENTS_CLAZZ
 *
 * The three things a subscriber has to do are marked: go on, tell duplicates, keep order.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream, type ConsumerMessages } from '@nats-io/jetstream';
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';

const { NATS_URL = '', READER = '', READER_SEED = '', STATE = './state.json' } = process.env;
const [stream = 'EVENTS_CLAZZ'] = process.argv.slice(2);
const user = `reader_${READER}`;

/** The last event that was handled, by its place in the log: 16 digits, so texts compare as numbers would. */
let last = existsSync(STATE) ? readFileSync(STATE, 'utf8') : '';
const remember = (sequence: string): void => {
  writeFileSync(`${STATE}.new`, sequence);
  renameSync(`${STATE}.new`, STATE);
  last = sequence;
};

const nc = await connect({
  servers: NATS_URL.split(','),
  authenticator: nkeyAuthenticator(new TextEncoder().encode(READER_SEED)),
  // The only inbox this account may listen to.
  inboxPrefix: `_INBOX_${user}`,
});
// Go on: the consumer is durable, and the broker remembers what was acknowledged.
const consumer = await jetstream(nc, { checkAPI: false }).consumers.get(stream, user);
let messages: ConsumerMessages | undefined;
const over = new AbortController();

const read = async (): Promise<void> => {
  // What was handed out before and lost comes again when its time is over, then first. Later ones must not be before it.
  const { num_ack_pending, config } = await consumer.info();
  if (num_ack_pending > 0) await sleep((config.ack_wait ?? 0) / 1_000_000, undefined, over).catch(() => {});
  if (over.signal.aborted) return;
  messages = await consumer.consume({ max_messages: 100 });
  if (over.signal.aborted) messages.stop();
  // Keep order: one message at a time, and its acknowledgement only when all is done.
  for await (const message of messages) {
    const event = message.json<{ sequence: string }>();
    // Tell duplicates: a message comes again when its acknowledgement was lost. Its place says so.
    if (event.sequence > last) {
      console.log(JSON.stringify(event));
      // With a database of your own, store this in the same transaction as what you make of the event.
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
// With a connection all that was on its way is lost.
const watch = async (): Promise<void> => {
  for await (const { type } of nc.status()) if (type === 'reconnect') messages?.stop();
};
void watch();

while (!over.signal.aborted && !nc.isClosed()) await read();
await nc.close();
