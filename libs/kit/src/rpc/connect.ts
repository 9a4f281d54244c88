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
import { type BusAddress, busLogin, type BusLogin, firstConnection, isRefusal, loginOptions } from './bus-login.ts';
import { createPendingByteCounter, createCorkedPublisher } from './corked-publisher.ts';
import { inboxOf, PROPAGATION_MS } from './subjects.ts';
import { createSubscriptions, type MovableSubscription, type ListenOptions } from './subscriptions.ts';

export interface Bus {
  /** The connection of now: when its broker goes, another one takes its place. */
  readonly nc: NatsConnection;
  /**
   * Listens, wherever the bus moves to; while it moves, a message may come twice. A `queue` shares with others: until a broker that
   * stands still is thawed, its copy of the group takes its part of the messages.
   */
  listen(subject: string, options: ListenOptions): MovableSubscription;
  /** Whom the broker knows this process as. */
  user: string;
  /** Replies to this process arrive below this subject; its NATS user may listen to no other inbox. */
  inboxPrefix: string;
  /** False from the moment the broker is lost until it is back. */
  isUp(): boolean;
  /** Two brokers are listened at, so a message may come twice. */
  isMoving(): boolean;
  /** Bytes handed over for publishing that the broker has not taken; known after 1.5 s at most. */
  pending(): Promise<number>;
  /** Both return the way to stop listening. */
  onDown(listener: () => void): () => void;
  onUp(listener: () => void): () => void;
  /** Called when another broker is listened at and the former one is about to be left; returns the way to stop listening. */
  onMove(listener: () => void): () => void;
  /** Settles when the connection is closed for good though nobody called `close`; no broker comes back to it. */
  failed: Promise<Error>;
  /** Publishes together with all other messages of this turn of the event loop. */
  publishSoon(subject: string, data: Uint8Array, options?: PublishOptions): void;
  /** What was handed over for publishing leaves first. */
  close(): Promise<void>;
}

/** How often it is said that the broker is not there. */
const SAY_MS = 5_000;
/** How long one attempt to connect may take: a broker that is frozen takes the connection and says nothing, and others are there. */
const CONNECT_MS = 2_000;
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
  // A broker that says nothing for two seconds is given up.
  pingInterval: 750,
  maxPingOut: 2,
  // The one that was just lost is tried last: the client by itself begins with it, and it may take the connection and say nothing.
  reconnectToServer: (servers) => servers.toSorted((a, b) => a.lastConnect - b.lastConnect)[0] ?? null,
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
  const teller = new FailureLog(log, `waiting for the bus at ${hostsOf(servers)}`, SAY_MS);
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
  const options = optionsFor(login, config, name, inboxPrefix);
  let nc = await firstConnection(options, refusedOr, teller, stop);
  const subscriptions = createSubscriptions();

  let up = true;
  let closing = false;
  /** Ends the attempts to move to another broker. */
  let moving: AbortController | undefined;
  /** Why the latest attempt failed was said already. */
  let refused = false;
  const down = new Set<() => void>();
  const back = new Set<() => void>();
  const moved = new Set<() => void>();

  const turn = (isUp: boolean, listeners: Set<() => void>): void => {
    if (up === isUp) return;
    up = isUp;
    for (const listener of listeners) listener();
  };
  /**
   * The broker says that it is about to go, and lets nobody in any more. Another one is listened at before this one is left, and what this one
   * still has for us is taken along: nobody notices.
   */
  const move = async (giveUp: AbortSignal): Promise<void> => {
    const former = nc;
    const told = former.info?.connect_urls ?? [];
    const next = await firstConnection({ ...options, servers: [...servers, ...told] }, refusedOr, teller, giveUp);
    if (closing) {
      await next.close();
      return;
    }
    subscriptions.alsoOn(next);
    nc = next;
    watch(next);
    await next.flush();
    for (const listener of moved) listener();
    await sleep(PROPAGATION_MS);
    await former.drain().catch(() => former.close());
    subscriptions.forgetFormer();
    log.info('the broker goes: another one has taken its place');
  };
  const beginMove = (): void => {
    if (moving !== undefined || closing) return;
    const giveUp = new AbortController();
    moving = giveUp;
    move(giveUp.signal)
      // The broker went before another one was found; then one is looked for as when it is lost.
      .catch((error: unknown) => (giveUp.signal.aborted ? undefined : log.warn({ err: error }, 'the broker goes')))
      .finally(() => (moving = undefined));
  };
  /** Each attempt to connect again ends in a `disconnect` of its own; the one that succeeds, in several `reconnect`. */
  const note = (status: Status): void => {
    if (status.type === 'ldm') beginMove();
    else if (status.type === 'disconnect' && !closing) {
      moving?.abort();
      if (!refused) teller.report('the connection is lost');
      refused = false;
      turn(false, down);
    } else if (status.type === 'reconnect') {
      teller.logRecovery();
      record.reconnect();
      turn(true, back);
    } else if (status.type === 'error' && isRefusal(status.error)) {
      refused = true;
      teller.report(refusedOr(status.error));
    } else if (status.type === 'error') {
      log.error({ err: status.error }, 'bus error');
    }
  };
  const failure = Promise.withResolvers<Error>();
  /** A connection counts while it is the one of now. */
  const watch = (watched: NatsConnection): void => {
    const noteAll = async (): Promise<void> => {
      for await (const status of watched.status()) if (watched === nc) note(status);
    };
    noteAll().catch((error: unknown) => log.error({ err: error }, 'bus status watch ended'));
    void watched.closed().then((error) => {
      if (watched !== nc) return;
      turn(false, down);
      const why = error ? `: ${reason(error)}` : '';
      if (!closing) failure.resolve(new Error(`the bus connection is closed for good${why}`));
    });
  };
  watch(nc);

  const publisher = createCorkedPublisher(() => nc, log);
  return {
    get nc() {
      return nc;
    },
    listen: (subject, how) => subscriptions.listen(nc, subject, how),
    user,
    inboxPrefix,
    isUp: () => up,
    isMoving: () => moving !== undefined,
    pending: createPendingByteCounter(
      () => nc,
      () => up,
    ),
    onDown: (listener) => listen(down, listener),
    onUp: (listener) => listen(back, listener),
    onMove: (listener) => listen(moved, listener),
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
