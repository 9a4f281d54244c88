import { randomUUID } from 'node:crypto';
import { type Msg, nuid } from '@nats-io/transport-node';
import { type AnyCall, Problem } from '@teaching/contracts';
import { readJson } from '../base/json.ts';
import type { ClockSkew } from './clock-skew.ts';
import { type CallHead, encodeCall } from './frame.ts';
import type { Bus } from './message-bus.ts';
import { Heartbeat, type Instance, Instances, localInstances } from './instances.ts';
import { ANY, callSubject, heartbeatSubject, PING, replySubject, requestSubject } from './subjects.ts';
import type { MovableSubscription } from './subscriptions.ts';

/** A request that waits for its reply. */
interface Pending {
  /** The user of the broker that replies. */
  responder: string;
  /** The subject of the reply. */
  reply: string;
  /** Milliseconds of `performance.now()`. */
  deadline: number;
  resolve(data: Uint8Array): void;
  reject(problem: Problem): void;
  /** The sent call. Undefined for a request that is not a call. */
  call: SentCall | undefined;
}

interface SentCall {
  call: AnyCall;
  head: CallHead;
  body: Uint8Array | string;
  /** The instance that got the call. Undefined: the broker picked it. */
  to: Instance | undefined;
  /** Whether it was handed over in this process, without the broker. */
  isLocal: boolean;
  tries: number;
}

/** How often passed deadlines are looked for. */
const SWEEP_MS = 250;
/** A call is sent to this many instances at most, while the broker finds no listener or the instances become silent. */
const TRIES = 3;
const PING_MS = 1_000;
const NO_RESPONDERS = 503;

const unavailable = (detail: string): Problem => new Problem('unavailable', detail);
const LOST = 'The message bus is not reachable';

export interface Requester {
  /** The NATS user that sends the requests. */
  readonly user: string;
  /**
   * Calls a service and resolves with the bytes of the reply. The instance with the fewest pending calls gets the call.
   * Rejects with `unavailable` at once if no instance listens or the broker is disconnected, and with `timeout` after
   * the deadline. A write that may have been stored rejects with `outcome_unknown` instead.
   */
  call(call: AnyCall, head: CallHead, body: Uint8Array | string): Promise<Uint8Array>;
  /**
   * The same for a request that is not a call. `responder` is the NATS user that replies on this subject. `deadline`:
   * milliseconds of `performance.now()`.
   */
  request(responder: string, subject: string, frame: Uint8Array, deadline: number): Promise<Uint8Array>;
  /** By how much the wall clocks of the known instances differ from that of this process. */
  clockSkews(): ClockSkew[];
  stop(): void;
}

/**
 * Request and reply over one multiplexed inbox of this process. The `nc.request` of the NATS client is not used, for
 * two reasons. Its inbox does not name the responder, so any service could forge replies
 * (`tools/developers/local/src/nats-permissions.int.test.ts`). With `noMux` and a reply subject, each request would
 * subscribe on one connection only, so replies would be lost when the process leaves a broker that stops
 * (`libs/kit/test/bus-moves.long.test.ts`).
 *
 * `delivering`: services whose heartbeats are received besides those of the called services. They show that the broker
 * delivers. So a called service is known to be silent even if its only instance has ended.
 */
export const createRequester = (bus: Bus, delivering: readonly string[] = []): Requester => {
  const pendingByReply = new Map<string, Pending>();
  /**
   * Reply subjects to use again, by responder: subjects of calls whose only reply has arrived. The broker has them in
   * its cache. With a new subject for each request, workload W1 took 159 instead of 134 µs of CPU. Three kinds of
   * subject are not used again, since another reply may arrive: those of requests to several instances, of calls that
   * were sent to several instances, and of calls that were answered while the bus moves.
   */
  const freeReplies = new Map<string, string[]>();
  const instances = new Instances();
  const inbox = nuid.next();
  let sweeping: NodeJS.Timeout | undefined;
  let checking: NodeJS.Immediate | undefined;

  const isPending = (pending: Pending): boolean => pendingByReply.get(pending.reply) === pending;
  const end = ({ reply, call }: Pending): void => {
    pendingByReply.delete(reply);
    if (call?.to !== undefined) call.to.pending -= 1;
  };
  const fail = (pending: Pending, reason: Problem): void => {
    end(pending);
    pending.reject(pending.call?.call.writes === true ? new Problem('outcome_unknown') : reason);
  };
  const settle = (pending: Pending, data: Uint8Array): void => {
    if (!isPending(pending)) return;
    end(pending);
    if (pending.call?.tries === 1 && !bus.isMoving()) freeReplies.get(pending.responder)?.push(pending.reply);
    pending.resolve(data);
  };
  const takeReply = (responder: string): string => {
    const free = freeReplies.get(responder) ?? [];
    freeReplies.set(responder, free);
    return free.pop() ?? replySubject(bus.user, responder, inbox, randomUUID());
  };

  const isTooLong = (frame: Uint8Array): boolean => frame.length > (bus.nc.info?.max_payload ?? Infinity);
  const publish = ({ reply }: Pending, subject: string, frame: Uint8Array): void =>
    bus.publishSoon(subject, frame, { reply });
  const send = (pending: Pending, sent: SentCall): void => {
    const { call, head, body } = sent;
    sent.tries += 1;
    listenToHeartbeats(call.service);
    sent.to = instances.pick(call.service);
    if (sent.to !== undefined) sent.to.pending += 1;
    const frame = encodeCall(head, body, sent.to?.clock.monotonicAt(performance.now()));
    if (isTooLong(frame)) {
      end(pending);
      pending.reject(new Problem('payload_too_large'));
      return;
    }
    const local = sent.to && localInstances.get(sent.to.id);
    sent.isLocal = local !== undefined;
    if (local === undefined) publish(pending, callSubject(call, sent.to?.id ?? ANY, bus.user), frame);
    else local({ from: bus.user, endpoint: call.endpoint, data: frame, reply: (answer) => settle(pending, answer) });
  };
  const sendAgain = (pending: Pending, sent: SentCall): void => {
    if (sent.to !== undefined) sent.to.pending -= 1;
    send(pending, sent);
  };

  /** No instance received the request, so that also a write can be sent to another one. */
  const sendToAnother = (pending: Pending): void => {
    const sent = pending.call;
    if (sent?.to !== undefined && sent.tries < TRIES) {
      instances.remove(sent.to);
      sendAgain(pending, sent);
      return;
    }
    end(pending);
    pending.reject(unavailable('No service answers this call'));
  };

  const receiveReply = (message: Msg): void => {
    const pending = pendingByReply.get(message.subject);
    if (pending === undefined) return;
    if (message.headers?.code === NO_RESPONDERS) sendToAnother(pending);
    else settle(pending, message.data);
  };

  const sweep = (): void => {
    const now = performance.now();
    for (const pending of pendingByReply.values()) if (pending.deadline <= now) fail(pending, new Problem('timeout'));
    if (pendingByReply.size > 0) return;
    clearInterval(sweeping);
    sweeping = undefined;
  };

  const begin = (
    responder: string,
    deadline: number,
    call: SentCall | undefined,
    start: (pending: Pending) => void,
  ): Promise<Uint8Array> => {
    if (!bus.isUp()) return Promise.reject(unavailable(LOST));
    return new Promise((resolve, reject) => {
      const reply = takeReply(responder);
      const pending: Pending = { responder, reply, deadline, resolve, reject, call };
      pendingByReply.set(reply, pending);
      sweeping ??= setInterval(sweep, SWEEP_MS).unref();
      start(pending);
    });
  };
  const request: Requester['request'] = (responder, subject, frame, deadline) =>
    isTooLong(frame)
      ? Promise.reject(new Problem('payload_too_large'))
      : begin(responder, deadline, undefined, (pending) => publish(pending, subject, frame));

  /** Sends the reads of a silent instance to another one. For its writes, a ping finds out whether it has ended. */
  const handleSilent = (silent: Instance): void => {
    const writes: Pending[] = [];
    for (const pending of pendingByReply.values()) {
      const { call } = pending;
      if (call?.to !== silent || call.isLocal) continue;
      if (call.call.writes) writes.push(pending);
      else if (call.tries < TRIES) sendAgain(pending, call);
    }
    if (writes.length === 0) return;
    const { service, id } = silent;
    request(service, requestSubject(service, id, bus.user, PING), new Uint8Array(), performance.now() + PING_MS).catch(
      ({ code }: Problem) => {
        // A frozen instance may still perform its writes. One that has ended no longer answers.
        if (code === 'timeout') return;
        for (const pending of writes) if (isPending(pending)) fail(pending, unavailable(LOST));
      },
    );
  };

  const receiveHeartbeat = (message: Msg): void => {
    const [, service = ''] = message.subject.split('.');
    const heartbeat = Heartbeat.safeParse(readJson(message.data));
    if (!heartbeat.success) return;
    instances.recordHeartbeat(service, heartbeat.data, performance.now());
    // After all heartbeats that arrived in this turn of the event loop.
    checking ??= setImmediate(() => {
      checking = undefined;
      for (const silent of instances.removeSilent()) handleSilent(silent);
    });
  };
  const listen = (subject: string, receive: (message: Msg) => void) =>
    bus.listen(subject, { callback: (error, message) => (error === null ? receive(message) : undefined) });
  const replies = listen(replySubject(bus.user, '*', inbox, '*'), receiveReply);
  /** Subscribed at the first call to a service: most services call few others, and each heartbeat wakes the process. */
  const heartbeats = new Map<string, MovableSubscription>();
  const listenToHeartbeats = (service: string): void => {
    if (heartbeats.has(service)) return;
    for (const one of new Set([service, ...delivering]))
      if (!heartbeats.has(one)) heartbeats.set(one, listen(heartbeatSubject(one), receiveHeartbeat));
  };

  const unlisten = bus.onDown(() => {
    for (const pending of pendingByReply.values()) if (pending.call?.isLocal !== true) fail(pending, unavailable(LOST));
  });

  return {
    user: bus.user,
    request,
    call: (call, head, body) => {
      const sent: SentCall = { call, head, body, to: undefined, isLocal: false, tries: 0 };
      return begin(call.service, head.deadline, sent, (pending) => send(pending, sent));
    },
    clockSkews: () => instances.clockSkews(),
    stop: () => {
      clearInterval(sweeping);
      clearImmediate(checking);
      unlisten();
      for (const one of [replies, ...heartbeats.values()]) one.unsubscribe();
    },
  };
};
