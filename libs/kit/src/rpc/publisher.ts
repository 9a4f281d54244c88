import type { NatsConnection, PublishOptions } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { within } from '../base/within.ts';

/** Collects the publishes of one turn and hands them to the socket at once. */
export const createBatcher = (connection: () => NatsConnection, log: Logger) => {
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

/** Whoever collects has little patience. */
const PATIENCE_MS = 1_500;

/** Bytes of messages that were handed over and that the broker has not taken: what it answers after, it has. */
export const createPendingBytes = (connection: () => NatsConnection, isUp: () => boolean): (() => Promise<number>) => {
  const taken = new WeakMap<NatsConnection, number>();
  return async () => {
    const nc = connection();
    const handed = nc.stats().outBytes;
    // Without a connection the question would only wait with what it asks for.
    if (isUp()) {
      await within(PATIENCE_MS, 'the broker does not answer', nc.flush()).then(
        () => taken.set(nc, Math.max(taken.get(nc) ?? 0, handed)),
        () => undefined,
      );
    }
    return nc.stats().outBytes - (taken.get(nc) ?? 0);
  };
};
