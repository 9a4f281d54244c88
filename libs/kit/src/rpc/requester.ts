import { nuid, type Msg } from '@nats-io/transport-node';
import { type AnyCall, Problem } from '@teaching/contracts';
import { readJson } from '../base/json.ts';
import type { Bus } from './connect.ts';
import { here } from './here.ts';
import { Beat, BEAT_MS, type Instance, Instances } from './instances.ts';
import { PendingReplies } from './pending-replies.ts';
import { ALL_BEATS, ANY, callSubject, PING, readReplySubject, replySubject, requestSubject } from './subjects.ts';

/** One request that waits for its reply. */
interface Pending {
  /** The user of the broker that is to reply. */
  responder: string;
  /** Its key among the requests to that responder. */
  key: string;
  deadline: number;
  resolve(data: Uint8Array): void;
  reject(problem: Problem): void;
  /** What was sent, if it is a call. */
  call: SentCall | undefined;
}

interface SentCall {
  call: AnyCall;
  frame: Uint8Array;
  /** Who was asked; undefined: the broker picked somebody. */
  to: Instance | undefined;
  /** Whether it went there without the broker. */
  isNear: boolean;
  tries: number;
}

/** A deadline is noticed this late at most. Each sweep wakes the process, also one that has nothing to do. */
const SWEEP_MS = 250;
/** A sweep so late means that this process stood still. */
const STANDSTILL_MS = 500;
/** Somebody is heard in this time, as long as anybody is. */
const HEARING_MS = BEAT_MS + SWEEP_MS;
/** Nobody was reached, or somebody fell silent: so often somebody else is asked. */
const TRIES = 3;
const PING_MS = 1_000;
const NO_RESPONDERS = 503;

const unavailable = (detail: string): Problem => new Problem('unavailable', detail);
const LOST = 'The message bus is not reachable';

export interface Requester {
  /** As whom it asks, as the broker knows it. */
  readonly user: string;
  /**
   * Asks a service and resolves with the reply's bytes. The instance with the least to do is asked. Rejects with
   * `unavailable` at once when nobody listens or the broker is gone, and with `timeout` once the deadline (epoch
   * ms) has passed. A write that may have been done all the same rejects with `outcome_unknown`.
   */
  call(call: AnyCall, frame: Uint8Array, deadline: number): Promise<Uint8Array>;
  /** The same for a request that is no call. `responder` is the user of the broker that replies on this subject. */
  request(responder: string, subject: string, frame: Uint8Array, deadline: number): Promise<Uint8Array>;
  stop(): void;
}

/**
 * Request-reply over one inbox subscription. A reply finds its request by the service that replied and by a random key. One coarse
 * timer finds overdue requests, so that a call costs neither a subscription nor a timer of its own.
 */
export const createRequester = (bus: Bus): Requester => {
  const repliesOf = new Map<string, PendingReplies<Pending>>();
  const instances = new Instances();
  const inbox = nuid.next();
  let swept = Date.now();
  let heard = swept;

  const repliesFrom = (responder: string): PendingReplies<Pending> => {
    const known = repliesOf.get(responder);
    if (known !== undefined) return known;
    const created = new PendingReplies<Pending>();
    repliesOf.set(responder, created);
    return created;
  };
  const allPending = (): Pending[] =>
    [...repliesOf.values()].flatMap((replies) => replies.entries().map(([, pending]) => pending));
  const isPending = (pending: Pending): boolean => repliesOf.get(pending.responder)?.get(pending.key) === pending;

  const end = ({ responder, key, call }: Pending, isAnswered = false): void => {
    const replies = repliesFrom(responder);
    // A call that was sent once is answered once, unless the reply comes by two brokers. Its key is used again, but only for the same
    // service: a reply subject in the broker's cache costs it a quarter less.
    if (isAnswered && call?.tries === 1 && !bus.isMoving()) replies.settle(key);
    else replies.remove(key);
    if (call?.to !== undefined) call.to.pending -= 1;
  };
  const fail = (pending: Pending, reason: Problem): void => {
    end(pending);
    pending.reject(pending.call?.call.writes === true ? new Problem('outcome_unknown') : reason);
  };
  const settle = (pending: Pending, data: Uint8Array): void => {
    if (!isPending(pending)) return;
    end(pending, true);
    pending.resolve(data);
  };

  const publish = ({ responder, key }: Pending, subject: string, frame: Uint8Array): void =>
    bus.publishSoon(subject, frame, { reply: replySubject(bus.user, responder, inbox, key) });
  const send = (pending: Pending, sent: SentCall): void => {
    sent.tries += 1;
    sent.to = instances.pick(sent.call.service);
    if (sent.to !== undefined) sent.to.pending += 1;
    const near = sent.to && here.get(sent.to.id);
    sent.isNear = near !== undefined;
    if (near !== undefined) {
      near({
        from: bus.user,
        endpoint: sent.call.endpoint,
        data: sent.frame,
        answer: (frame) => settle(pending, frame),
      });
      return;
    }
    publish(pending, callSubject(sent.call, sent.to?.id ?? ANY, bus.user), sent.frame);
  };
  const sendAgain = (pending: Pending, sent: SentCall): void => {
    if (sent.to !== undefined) sent.to.pending -= 1;
    send(pending, sent);
  };

  /** It reached nobody, so that writes, too, can go to somebody else. */
  const unreached = (pending: Pending): void => {
    const sent = pending.call;
    if (sent?.to !== undefined && sent.tries < TRIES) {
      instances.remove(sent.to);
      sendAgain(pending, sent);
      return;
    }
    end(pending);
    pending.reject(unavailable('No service answers this call'));
  };

  const receive = (message: Msg): void => {
    const { responder, key } = readReplySubject(message.subject);
    const pending = repliesOf.get(responder)?.get(key);
    if (pending === undefined) return;
    if (message.headers?.code === NO_RESPONDERS) unreached(pending);
    else settle(pending, message.data);
  };
  const hear = (message: Msg): void => {
    const [, service = ''] = message.subject.split('.');
    const beat = Beat.safeParse(readJson(message.data));
    if (!beat.success) return;
    heard = Date.now();
    instances.heard(service, beat.data, heard);
  };
  const subscriptions = [
    bus.listen(replySubject(bus.user, '*', inbox, '*'), {
      callback: (error, message) => (error === null ? receive(message) : undefined),
    }),
    bus.listen(ALL_BEATS, { callback: (error, message) => (error === null ? hear(message) : undefined) }),
  ];

  const begin = (
    responder: string,
    frame: Uint8Array,
    deadline: number,
    call: SentCall | undefined,
    start: (pending: Pending) => void,
  ): Promise<Uint8Array> => {
    if (!bus.isUp()) return Promise.reject(unavailable(LOST));
    if (frame.length > (bus.nc.info?.max_payload ?? Infinity)) return Promise.reject(new Problem('payload_too_large'));
    return new Promise((resolve, reject) => {
      const pending: Pending = { responder, key: '', deadline, resolve, reject, call };
      pending.key = repliesFrom(responder).add(pending);
      start(pending);
    });
  };
  const request: Requester['request'] = (responder, subject, frame, deadline) =>
    begin(responder, frame, deadline, undefined, (pending) => publish(pending, subject, frame));

  /** An instance fell silent: reads go to another one, and for writes it is asked whether it is there at all. */
  const leaveSilent = (silent: Instance): void => {
    const writes: Pending[] = [];
    for (const pending of allPending()) {
      const { call } = pending;
      if (call?.to !== silent || call.isNear) continue;
      if (call.call.writes) writes.push(pending);
      else if (call.tries < TRIES) sendAgain(pending, call);
    }
    if (writes.length === 0) return;
    const { service, id } = silent;
    request(service, requestSubject(service, id, bus.user, PING), new Uint8Array(), Date.now() + PING_MS).catch(
      ({ code }: Problem) => {
        // It is frozen, and may still do what it was sent; or gone, and then it answers nothing any more.
        if (code === 'timeout') return;
        for (const pending of writes) if (isPending(pending)) fail(pending, unavailable(LOST));
      },
    );
  };

  const sweep = setInterval(() => {
    const now = Date.now();
    const late = now - swept - SWEEP_MS;
    swept = now;
    if (late > STANDSTILL_MS) instances.excuse(late);
    // Who hears nobody at all hears nothing: those that were there are asked first when it is back.
    else if (now - heard > HEARING_MS) instances.excuse(SWEEP_MS);
    for (const pending of allPending()) if (pending.deadline <= now) fail(pending, new Problem('timeout'));
    for (const silent of instances.takeStale(now)) leaveSilent(silent);
  }, SWEEP_MS);
  sweep.unref();

  const unlisten = bus.onDown(() => {
    for (const pending of allPending()) if (pending.call?.isNear !== true) fail(pending, unavailable(LOST));
  });

  return {
    user: bus.user,
    request,
    call: (call, frame, deadline) => {
      const sent: SentCall = { call, frame, to: undefined, isNear: false, tries: 0 };
      return begin(call.service, frame, deadline, sent, (pending) => send(pending, sent));
    },
    stop: () => {
      clearInterval(sweep);
      unlisten();
      for (const one of subscriptions) one.unsubscribe();
    },
  };
};
