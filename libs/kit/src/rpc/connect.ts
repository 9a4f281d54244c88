import {
  type NatsConnection,
  type NodeConnectionOptions,
  type PublishOptions,
  type Status,
  TimeoutError,
} from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { unlessAborted } from '../base/wait.ts';
import { record } from '../telemetry/metrics.ts';
import { reasonOf, TroubleTeller } from '../telemetry/trouble-teller.ts';
import { type BusAddress, busLogin, type BusLogin, isRefusal, loginOptions } from './bus-login.ts';
import { firstConnection } from './first-connection.ts';
import { createPendingBytes } from './pending-bytes.ts';
import { createBatcher } from './publish-soon.ts';
import { inboxOf } from './subjects.ts';

export interface Bus {
  nc: NatsConnection;
  /** Whom the broker knows this process as. */
  user: string;
  /** Replies to this process arrive below this subject; its NATS user may listen to no other inbox. */
  inboxPrefix: string;
  /** False from the moment the broker is lost until it is back. */
  isUp(): boolean;
  /** Bytes handed over for publishing that the broker has not taken; known after 1.5 s at most. */
  pending(): Promise<number>;
  /** Both return the way to stop listening. */
  onDown(listener: () => void): () => void;
  onUp(listener: () => void): () => void;
  /** Settles when the connection is closed for good though nobody called `close`; no broker comes back to it. */
  failed: Promise<Error>;
  /** Publishes together with everything else of this turn of the event loop: one write, not many. */
  publishSoon(subject: string, data: Uint8Array, options?: PublishOptions): void;
  /** What was handed over for publishing leaves first. */
  close(): Promise<void>;
}

/** How often it is said that the broker is not there. */
const SAY_MS = 5_000;
/** How long one attempt to connect may take. */
const CONNECT_MS = 5_000;
/** A connection that cannot be drained in this time is cut. */
const CLOSE_MS = 3_000;

const listen = (listeners: Set<() => void>, listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Hosts and ports, without what else an address may hold. */
const hostsOf = (servers: readonly string[]): string =>
  servers.map((server) => server.replace(/^\w+:\/\//, '').replace(/^.*@/, '')).join(', ');

const optionsFor = (
  login: BusLogin,
  address: BusAddress,
  name: string,
  inboxPrefix: string,
): NodeConnectionOptions => ({
  ...loginOptions(address, login),
  name,
  inboxPrefix,
  timeout: CONNECT_MS,
  maxReconnectAttempts: -1,
  // A password that is wrong now may be right soon: it is being rotated.
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: 250,
  reconnectJitter: 250,
  // A broker that says nothing for three seconds is given up, and another one looked for.
  pingInterval: 1_000,
  maxPingOut: 2,
});

/** Connects to NATS and never gives up: the client's own default is ten attempts. Rejects when `stop` is aborted. */
export const connectBus = async (
  config: BusAddress,
  name: string,
  log: Logger,
  stop: AbortSignal = new AbortController().signal,
): Promise<Bus> => {
  const user = config.NATS_USER ?? name;
  const inboxPrefix = inboxOf(user);
  const servers = config.NATS_URL.split(',').map((server) => server.trim());
  const teller = new TroubleTeller(log, `waiting for the bus at ${hostsOf(servers)}`, SAY_MS);
  const login = busLogin(config);
  const reason = (error: unknown): string => {
    if (isRefusal(error)) return `the broker refuses ${login.who}`;
    return error instanceof TimeoutError ? 'no answer' : reasonOf(error);
  };
  /** The next attempt may be let in. */
  const refusedOr = (error: unknown): string => {
    if (isRefusal(error)) login.refused();
    return reason(error);
  };
  const nc = await firstConnection(optionsFor(login, config, name, inboxPrefix), refusedOr, teller, stop);

  let up = true;
  let closing = false;
  /** Why the latest attempt failed was said already. */
  let refused = false;
  const down = new Set<() => void>();
  const back = new Set<() => void>();

  const turn = (isUp: boolean, listeners: Set<() => void>): void => {
    if (up === isUp) return;
    up = isUp;
    for (const listener of listeners) listener();
  };
  /** Each attempt to connect again ends in a `disconnect` of its own; the one that succeeds, in several `reconnect`. */
  const note = (status: Status): void => {
    if (status.type === 'disconnect' && !closing) {
      if (!refused) teller.tell('the connection is lost');
      refused = false;
      turn(false, down);
    } else if (status.type === 'reconnect') {
      teller.over();
      record.reconnect();
      turn(true, back);
    } else if (status.type === 'error' && isRefusal(status.error)) {
      refused = true;
      teller.tell(refusedOr(status.error));
    } else if (status.type === 'error') {
      log.error({ err: status.error }, 'bus error');
    }
  };
  const watch = async (): Promise<void> => {
    for await (const status of nc.status()) note(status);
  };
  watch().catch((error: unknown) => log.error({ err: error }, 'bus status watch ended'));
  const failed = new Promise<Error>((resolve) => {
    void nc.closed().then((error) => {
      turn(false, down);
      if (!closing) resolve(new Error(`the bus connection is closed for good${error ? `: ${reason(error)}` : ''}`));
    });
  });

  const batcher = createBatcher(nc, log);
  return {
    nc,
    user,
    inboxPrefix,
    isUp: () => up,
    pending: createPendingBytes(nc, () => up),
    onDown: (listener) => listen(down, listener),
    onUp: (listener) => listen(back, listener),
    failed,
    publishSoon: batcher.publishSoon,
    close: async () => {
      closing = true;
      batcher.flush();
      if (nc.isClosed()) return;
      await unlessAborted(nc.drain(), AbortSignal.timeout(CLOSE_MS)).catch(() => nc.close());
    },
  };
};
