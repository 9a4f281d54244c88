import { setTimeout as sleep } from 'node:timers/promises';
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
import { reasonOf, FailureLog } from '../telemetry/failure-log.ts';
import {
  type BusAddress,
  busLogin,
  type BusLogin,
  connectWithRetry,
  isLoginRefusal,
  loginOptions,
} from './bus-login.ts';
import { createPendingByteCounter, createCorkedPublisher } from './corked-publisher.ts';
import { inboxOf, PROPAGATION_MS } from './subjects.ts';
import { createSubscriptions, type MovableSubscription, type ListenOptions } from './subscriptions.ts';

export interface Bus {
  /** The current connection. When its broker stops, the bus moves to another broker and this changes. */
  readonly nc: NatsConnection;
  /**
   * Subscribes, also on the brokers that the bus moves to. While it moves, a message may arrive twice. With `queue`,
   * the members of the queue group share the messages. A frozen broker still gets its share until it runs again.
   */
  listen(subject: string, options: ListenOptions): MovableSubscription;
  /** The user name of this process at the broker. */
  user: string;
  /** The subject prefix of replies to this process. Its NATS user may subscribe to no other inbox. */
  inboxPrefix: string;
  /** False while the connection to the broker is lost. */
  isUp(): boolean;
  /** Whether the process is subscribed at two brokers, so that a message may arrive twice. */
  isMoving(): boolean;
  /** Resolves with the published bytes that the broker has not received yet, after 1.5 s at most. */
  pendingBytes(): Promise<number>;
  /** `onDown` and `onUp` return a function that removes the listener. */
  onDown(listener: () => void): () => void;
  onUp(listener: () => void): () => void;
  /**
   * Called when the subscriptions are repeated at the next broker, before the former one is left. Returns as `onDown`.
   */
  onMove(listener: () => void): () => void;
  /** Resolves when the client closed the connection for good, without a call of `close`. It does not reconnect then. */
  failed: Promise<Error>;
  /** Publishes at the end of this turn of the event loop, in one write with all other messages of the turn. */
  publishSoon(subject: string, data: Uint8Array, options?: PublishOptions): void;
  /** Sends all published messages, then closes the connection. */
  close(): Promise<void>;
}

/** How often the log reports that no broker is connected. */
const LOG_INTERVAL_MS = 5_000;
/** The timeout of one attempt to connect. A frozen broker accepts the connection and never answers; others may. */
const CONNECT_MS = 2_000;
/** A connection that is not drained within this time is closed without. */
const CLOSE_MS = 3_000;

const addListener = (listeners: Set<() => void>, listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Hosts and ports of the addresses, without logins. */
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
  // A password that is wrong now may be right a moment later, while passwords are rotated.
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: 250,
  reconnectJitter: 250,
  // The connection to a broker that is silent for about two seconds is destroyed.
  pingInterval: 750,
  maxPingOut: 2,
  // The broker that was just lost is tried last. It may be frozen: then it accepts the connection and never answers.
  reconnectToServer: (servers) => servers.toSorted((a, b) => a.lastConnect - b.lastConnect)[0] ?? null,
});

/**
 * Connects to NATS and reconnects without a limit (default of the client: ten attempts). Rejects if `stop` is aborted.
 */
export const connectBus = async (
  config: BusAddress,
  name: string,
  log: Logger,
  stop: AbortSignal = new AbortController().signal,
): Promise<Bus> => {
  const user = config.NATS_USER ?? name;
  const inboxPrefix = inboxOf(user);
  const servers = config.NATS_URL.split(',').map((server) => server.trim());
  const failures = new FailureLog(log, `waiting for the bus at ${hostsOf(servers)}`, LOG_INTERVAL_MS);
  const login = busLogin(config);
  const reason = (error: unknown): string => {
    if (isLoginRefusal(error)) return `the broker refuses ${login.description}`;
    return error instanceof TimeoutError ? 'no answer' : reasonOf(error);
  };
  /** Returns the reason, and after a refusal lets the next attempt use the next password. */
  const reportedReason = (error: unknown): string => {
    if (isLoginRefusal(error)) login.reportRefusal();
    return reason(error);
  };
  const options = optionsFor(login, config, name, inboxPrefix);
  let nc = await connectWithRetry(options, reportedReason, failures, stop);
  const subscriptions = createSubscriptions();

  let connected = true;
  let closing = false;
  /** Ends the attempts to move to another broker. */
  let moving: AbortController | undefined;
  /** Whether the log already has the reason of the latest failed attempt. */
  let isReasonLogged = false;
  const downListeners = new Set<() => void>();
  const upListeners = new Set<() => void>();
  const moveListeners = new Set<() => void>();

  const setConnected = (isUp: boolean, listeners: Set<() => void>): void => {
    if (connected === isUp) return;
    connected = isUp;
    for (const listener of listeners) listener();
  };
  /**
   * The broker announced that it will stop, and accepts no new connections. The process subscribes at another broker
   * before it leaves this one, and drains this one, so that no message is lost.
   */
  const move = async (aborted: AbortSignal): Promise<void> => {
    const former = nc;
    const announced = former.info?.connect_urls ?? [];
    const next = await connectWithRetry(
      { ...options, servers: [...servers, ...announced] },
      reportedReason,
      failures,
      aborted,
    );
    if (closing) {
      await next.close();
      return;
    }
    subscriptions.repeatOn(next);
    nc = next;
    watch(next);
    await next.flush();
    for (const listener of moveListeners) listener();
    await sleep(PROPAGATION_MS);
    await former.drain().catch(() => former.close());
    subscriptions.forgetFormer();
    log.info('moved to another broker, since the former one stops');
  };
  const beginMove = (): void => {
    if (moving !== undefined || closing) return;
    const abort = new AbortController();
    moving = abort;
    move(abort.signal)
      // If the broker stopped before another one was found, the client reconnects as after any loss.
      .catch((error: unknown) =>
        abort.signal.aborted ? undefined : log.warn({ err: error }, 'could not move to another broker'),
      )
      .finally(() => (moving = undefined));
  };
  /** A failed attempt to reconnect causes its own `disconnect`; the successful one causes several `reconnect`. */
  const handleStatus = (status: Status): void => {
    if (status.type === 'ldm') beginMove();
    else if (status.type === 'disconnect' && !closing) {
      moving?.abort();
      if (!isReasonLogged) failures.report('the connection is lost');
      isReasonLogged = false;
      setConnected(false, downListeners);
    } else if (status.type === 'reconnect') {
      failures.logRecovery();
      record.reconnect();
      setConnected(true, upListeners);
    } else if (status.type === 'error' && isLoginRefusal(status.error)) {
      isReasonLogged = true;
      failures.report(reportedReason(status.error));
    } else if (status.type === 'error') {
      log.error({ err: status.error }, 'bus error');
    }
  };
  const failure = Promise.withResolvers<Error>();
  /** Handles the status of a connection while it is the current one. */
  const watch = (watched: NatsConnection): void => {
    const handleAll = async (): Promise<void> => {
      for await (const status of watched.status()) if (watched === nc) handleStatus(status);
    };
    handleAll().catch((error: unknown) => log.error({ err: error }, 'the status of the bus is no longer watched'));
    void watched.closed().then((error) => {
      if (watched !== nc) return;
      setConnected(false, downListeners);
      const cause = error ? `: ${reason(error)}` : '';
      if (!closing) failure.resolve(new Error(`the bus connection is closed for good${cause}`));
    });
  };
  watch(nc);

  const publisher = createCorkedPublisher(() => nc, log);
  return {
    get nc() {
      return nc;
    },
    listen: (subject, listenOptions) => subscriptions.listen(nc, subject, listenOptions),
    user,
    inboxPrefix,
    isUp: () => connected,
    isMoving: () => moving !== undefined,
    pendingBytes: createPendingByteCounter(
      () => nc,
      () => connected,
    ),
    onDown: (listener) => addListener(downListeners, listener),
    onUp: (listener) => addListener(upListeners, listener),
    onMove: (listener) => addListener(moveListeners, listener),
    failed: failure.promise,
    publishSoon: publisher.publishSoon,
    close: async () => {
      closing = true;
      moving?.abort();
      publisher.flush();
      if (nc.isClosed()) return;
      await unlessAborted(nc.drain(), AbortSignal.timeout(CLOSE_MS)).catch(() => nc.close());
    },
  };
};
