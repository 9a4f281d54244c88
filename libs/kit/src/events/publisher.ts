import { createInbox, headers, type Msg } from '@nats-io/transport-node';
import { z } from 'zod';
import { compiled } from '../compiled.ts';
import type { Bus } from '../bus/connect.ts';

/** The stream's answer to one publish (JetStream API). */
const Ack = z.union([
  z.object({ error: z.object({ description: z.string() }) }),
  z.object({ seq: z.number(), error: z.undefined().optional() }),
]);

export interface Publication {
  /** Message id: the stream drops a second one with the same id. */
  id: string;
  subject: string;
  data: string;
}

/** What became of a batch: positions in the stream of the first ones taken, and why the next was not. */
export interface Outcome {
  positions: number[];
  failure: string | undefined;
}

const ACK_MS = 5_000;

/**
 * Publishes batches to the stream in order, all of a batch at once, and collects the acknowledgements from
 * one inbox. The client's own publish pays a subscription slot and a timer for each message.
 */
export const createPublisher = (bus: Bus) => {
  const inbox = createInbox(bus.inboxPrefix);
  let batch = 0;
  let onAck: ((index: number, message: Msg) => void) | undefined;
  let onDown: (() => void) | undefined;

  const subscription = bus.nc.subscribe(`${inbox}.*.*`, {
    callback: (error, message) => {
      const [number, index] = message.subject.slice(inbox.length + 1).split('.');
      // A late answer to an earlier batch says nothing about this one.
      if (error === null && Number(number) === batch) onAck?.(Number(index), message);
    },
  });
  const unlisten = bus.onDown(() => onDown?.());

  const seqOf = (message: Msg): number | string => {
    if (message.headers?.code === 503) return 'no stream answers';
    const ack = compiled(Ack).safeParse(message.json());
    if (!ack.success) return 'not an acknowledgement';
    return ack.data.error === undefined ? ack.data.seq : ack.data.error.description;
  };

  const publish = (messages: readonly Publication[]): Promise<Outcome> =>
    new Promise((resolve) => {
      if (!bus.isUp()) {
        resolve({ positions: [], failure: 'the broker is not reachable' });
        return;
      }
      batch += 1;
      const acks: (number | string)[] = [];
      let missing = messages.length;
      const finish = (): void => {
        clearTimeout(timer);
        onAck = undefined;
        onDown = undefined;
        // Only up to the first failure: what comes after it is sent again behind it, and deduplicated.
        const all = messages.map((_message, index) => acks[index] ?? 'not acknowledged in time');
        const failed = all.findIndex((ack) => typeof ack === 'string');
        const taken = failed < 0 ? all : all.slice(0, failed);
        const failure = failed < 0 ? undefined : String(all[failed]);
        resolve({ positions: taken.filter((ack) => typeof ack === 'number'), failure });
      };
      const timer = setTimeout(finish, ACK_MS);
      onDown = finish;
      onAck = (index, message) => {
        acks[index] = seqOf(message);
        missing -= 1;
        if (missing === 0) finish();
      };
      messages.forEach(({ id, subject, data }, index) => {
        const head = headers();
        head.set('Nats-Msg-Id', id);
        bus.nc.publish(subject, data, { headers: head, reply: `${inbox}.${batch}.${index}` });
      });
    });

  return {
    publish,
    stop: (): void => {
      unlisten();
      subscription.unsubscribe();
    },
  };
};
export type Publisher = ReturnType<typeof createPublisher>;
