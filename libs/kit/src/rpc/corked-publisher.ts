import type { NatsConnection, PublishOptions } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { withTimeout } from '../base/timeout.ts';

/**
 * Hands all publishes of one turn of the event loop to the client together, so that they leave in one write: 18 µs less CPU for
 * each call and its reply, 5 % of an item list.
 */
export const createCorkedPublisher = (connection: () => NatsConnection, log: Logger) => {
  let waiting: [string, Uint8Array, PublishOptions | undefined][] = [];
  const flush = (): void => {
    const batch = waiting;
    waiting = [];
    for (const [subject, data, options] of batch) {
      try {
        connection().publish(subject, data, options);
      } catch (error) {
        log.warn({ err: error, subject }, 'publish failed');
      }
    }
  };
  return {
    flush,
    publishSoon: (subject: string, data: Uint8Array, options?: PublishOptions): void => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push([subject, data, options]);
    },
  };
};

/** How long the broker may take to confirm: a collector of metrics waits for the answer. */
const PATIENCE_MS = 1_500;

/** Returns the bytes of published messages that the broker has not taken. It has taken what was sent before a flush that it confirmed. */
export const createPendingByteCounter = (
  connection: () => NatsConnection,
  isUp: () => boolean,
): (() => Promise<number>) => {
  const taken = new WeakMap<NatsConnection, number>();
  return async () => {
    const nc = connection();
    const handed = nc.stats().outBytes;
    // Without a connection the flush would only wait behind these messages.
    if (isUp()) {
      await withTimeout(PATIENCE_MS, 'the broker does not answer', nc.flush()).then(
        () => taken.set(nc, Math.max(taken.get(nc) ?? 0, handed)),
        () => undefined,
      );
    }
    return nc.stats().outBytes - (taken.get(nc) ?? 0);
  };
};
