import type { NatsConnection, PublishOptions } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { withTimeout } from '../base/timeout.ts';

/**
 * Corks the publishes of one turn of the event loop: the client sends them in one write. That saves 18 µs of CPU for
 * each call and its reply, 5 % of an item list. `flush` sends them at once.
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

/** The timeout for the broker's confirmation. A collector of metrics waits for the result. */
const CONFIRM_TIMEOUT_MS = 1_500;

/**
 * Counts the published bytes that the broker has not received. When the broker confirms a flush, it has received all
 * bytes that were sent before the flush.
 */
export const createPendingByteCounter = (
  connection: () => NatsConnection,
  isUp: () => boolean,
): (() => Promise<number>) => {
  const received = new WeakMap<NatsConnection, number>();
  return async () => {
    const nc = connection();
    const sent = nc.stats().outBytes;
    // Without a connection the flush would wait behind these messages.
    if (isUp()) {
      await withTimeout(CONFIRM_TIMEOUT_MS, 'the broker does not answer', nc.flush()).then(
        () => received.set(nc, Math.max(received.get(nc) ?? 0, sent)),
        () => undefined,
      );
    }
    return nc.stats().outBytes - (received.get(nc) ?? 0);
  };
};
