import { connect, type NatsConnection, type PublishOptions } from '@nats-io/transport-node';
import type { Logger } from 'pino';

/** Where the brokers are, and as whom to log in. */
interface BusAddress {
  /** One or several, by commas. */
  NATS_URL: string;
  NATS_USER?: string | undefined;
  NATS_PASSWORD?: string | undefined;
}

export interface Bus {
  nc: NatsConnection;
  /** Whom the broker knows this process as. */
  user: string;
  /** Replies to this process arrive below this subject; its NATS user may listen to no other inbox. */
  inboxPrefix: string;
  /** False from the moment the broker is lost until it is back. */
  isUp(): boolean;
  /** Both return the way to stop listening. */
  onDown(listener: () => void): () => void;
  onUp(listener: () => void): () => void;
  /** Publishes together with everything else of this turn of the event loop: one write, not many. */
  publishSoon(subject: string, data: Uint8Array, options?: PublishOptions): void;
  close(): Promise<void>;
}

/** Collects the publishes of one turn and hands them to the socket at once. */
const createBatcher = (nc: NatsConnection, log: Logger) => {
  let waiting: [string, Uint8Array, PublishOptions | undefined][] = [];
  const flush = (): void => {
    const batch = waiting;
    waiting = [];
    for (const [subject, data, options] of batch) {
      try {
        nc.publish(subject, data, options);
      } catch (error) {
        log.warn({ err: error, subject }, 'publish failed');
      }
    }
  };
  return (subject: string, data: Uint8Array, options?: PublishOptions): void => {
    if (waiting.length === 0) setImmediate(flush);
    waiting.push([subject, data, options]);
  };
};

const listen = (listeners: Set<() => void>, listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Connects to NATS and never gives up: the client's own default is ten attempts. */
export const connectBus = async (config: BusAddress, name: string, log: Logger): Promise<Bus> => {
  const user = config.NATS_USER ?? name;
  const inboxPrefix = `_INBOX_${user}`;
  const nc = await connect({
    servers: config.NATS_URL.split(','),
    name,
    ...(config.NATS_USER === undefined ? {} : { user: config.NATS_USER, pass: config.NATS_PASSWORD ?? '' }),
    inboxPrefix,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 10_000,
    maxPingOut: 2,
  });
  let up = true;
  const down = new Set<() => void>();
  const back = new Set<() => void>();
  const watch = async (): Promise<void> => {
    for await (const status of nc.status()) {
      if (status.type === 'disconnect') {
        up = false;
        log.warn('bus connection lost, reconnecting');
        for (const listener of down) listener();
      } else if (status.type === 'reconnect') {
        up = true;
        log.info('bus connection is back');
        for (const listener of back) listener();
      } else if (status.type === 'error') {
        log.error({ err: status.error }, 'bus error');
      }
    }
  };
  watch().catch((error: unknown) => log.error({ err: error }, 'bus status watch ended'));
  return {
    nc,
    user,
    inboxPrefix,
    isUp: () => up,
    onDown: (listener) => listen(down, listener),
    onUp: (listener) => listen(back, listener),
    publishSoon: createBatcher(nc, log),
    close: async () => {
      if (!nc.isClosed()) await nc.drain().catch(() => nc.close());
    },
  };
};
