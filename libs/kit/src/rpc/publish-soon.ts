import type { NatsConnection, PublishOptions } from '@nats-io/transport-node';
import type { Logger } from 'pino';

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
