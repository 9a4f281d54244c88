import { createInbox, type Msg } from '@nats-io/transport-node';
import { type AnyCall, Problem } from '@teaching/contracts';
import { readJson } from '../base/json.ts';
import { Slots } from '../base/slots.ts';
import type { Bus } from './connect.ts';
import { here } from './here.ts';
import { Beat, BEAT_MS, type Instance, Instances } from './instances.ts';
import { ALL_BEATS, ANY, callSubject, PING, requestSubject } from './subjects.ts';

/** One question that waits for its answer. */
interface Slot {
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
  /** The same for what is no call: a question to whoever listens on this subject. */
  request(subject: string, frame: Uint8Array, deadline: number): Promise<Uint8Array>;
  stop(): void;
}

/**
 * Request-reply over one inbox subscription. Each request takes a slot named by a counter; one coarse
 * timer sweeps overdue slots, so that a call costs neither a subscription nor a timer of its own.
 */
export const createRequester = (bus: Bus): Requester => {
  const slots = new Slots<Slot>();
  const instances = new Instances();
  const inbox = createInbox(bus.inboxPrefix);
  let swept = Date.now();
  let heard = swept;

  const end = (key: string, { call }: Slot, isAnswered = false): void => {
    // A call that was sent once is answered once, unless the answer comes by two brokers. Its subject is used again: one that the broker
    // knows costs it a quarter less.
    if (isAnswered && call?.tries === 1 && !bus.isMoving()) slots.end(key);
    else slots.remove(key);
    if (call?.to !== undefined) call.to.pending -= 1;
  };
  const fail = (key: string, slot: Slot, reason: Problem): void => {
    end(key, slot);
    slot.reject(slot.call?.call.writes === true ? new Problem('outcome_unknown') : reason);
  };

  const send = (key: string, sent: SentCall): void => {
    sent.tries += 1;
    sent.to = instances.pick(sent.call.service);
    if (sent.to !== undefined) sent.to.pending += 1;
    const near = sent.to && here.get(sent.to.id);
    sent.isNear = near !== undefined;
    if (near !== undefined) {
      near({ from: bus.user, endpoint: sent.call.endpoint, data: sent.frame, answer: (frame) => answered(key, frame) });
      return;
    }
    const subject = callSubject(sent.call, sent.to?.id ?? ANY, bus.user);
    bus.publishSoon(subject, sent.frame, { reply: `${inbox}.${key}` });
  };
  const sendAgain = (key: string, sent: SentCall): void => {
    if (sent.to !== undefined) sent.to.pending -= 1;
    send(key, sent);
  };

  const answered = (key: string, data: Uint8Array): void => {
    const slot = slots.get(key);
    if (slot === undefined) return;
    end(key, slot, true);
    slot.resolve(data);
  };

  /** It reached nobody, so that writes, too, can go to somebody else. */
  const unreached = (key: string): void => {
    const slot = slots.get(key);
    if (slot === undefined) return;
    const sent = slot.call;
    if (sent?.to !== undefined && sent.tries < TRIES) {
      instances.remove(sent.to);
      sendAgain(key, sent);
      return;
    }
    end(key, slot);
    slot.reject(unavailable('No service answers this call'));
  };

  const settle = (message: Msg): void => {
    const key = message.subject.slice(inbox.length + 1);
    if (message.headers?.code === NO_RESPONDERS) unreached(key);
    else answered(key, message.data);
  };
  const hear = (message: Msg): void => {
    const [, service = ''] = message.subject.split('.');
    const beat = Beat.safeParse(readJson(message.data));
    if (!beat.success) return;
    heard = Date.now();
    instances.heard(service, beat.data, heard);
  };
  const subscriptions = [
    bus.listen(`${inbox}.*`, { callback: (error, message) => (error === null ? settle(message) : undefined) }),
    bus.listen(ALL_BEATS, { callback: (error, message) => (error === null ? hear(message) : undefined) }),
  ];

  const request: Requester['request'] = (subject, frame, deadline) =>
    begin(frame, deadline, undefined, (reply) => bus.publishSoon(subject, frame, { reply }));

  const begin = (
    frame: Uint8Array,
    deadline: number,
    call: SentCall | undefined,
    publish: (reply: string, key: string) => void,
  ): Promise<Uint8Array> => {
    if (!bus.isUp()) return Promise.reject(unavailable(LOST));
    if (frame.length > (bus.nc.info?.max_payload ?? Infinity)) return Promise.reject(new Problem('payload_too_large'));
    return new Promise((resolve, reject) => {
      const key = slots.put({ deadline, resolve, reject, call });
      publish(`${inbox}.${key}`, key);
    });
  };

  /** An instance fell silent: reads go to another one, and for writes it is asked whether it is there at all. */
  const leaveSilent = (silent: Instance): void => {
    const left = slots.entries().filter(([, { call }]) => call?.to === silent && !call.isNear);
    const writes = left.filter(([, { call }]) => call?.call.writes);
    for (const [key, { call }] of left) if (call?.call.writes === false && call.tries < TRIES) sendAgain(key, call);
    if (writes.length === 0) return;
    const { service, id } = silent;
    request(requestSubject(service, id, bus.user, PING), new Uint8Array(), Date.now() + PING_MS).catch(
      ({ code }: Problem) => {
        // It is frozen, and may still do what it was sent; or gone, and then it answers nothing any more.
        if (code === 'timeout') return;
        for (const [key, slot] of writes) if (slots.get(key) === slot) fail(key, slot, unavailable(LOST));
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
    for (const [key, slot] of slots.entries()) if (slot.deadline <= now) fail(key, slot, new Problem('timeout'));
    for (const silent of instances.takeStale(now)) leaveSilent(silent);
  }, SWEEP_MS);
  sweep.unref();

  const unlisten = bus.onDown(() => {
    for (const [key, slot] of slots.entries()) if (slot.call?.isNear !== true) fail(key, slot, unavailable(LOST));
  });

  return {
    user: bus.user,
    request,
    call: (call, frame, deadline) => {
      const sent: SentCall = { call, frame, to: undefined, isNear: false, tries: 0 };
      return begin(frame, deadline, sent, (_reply, key) => send(key, sent));
    },
    stop: () => {
      clearInterval(sweep);
      unlisten();
      for (const one of subscriptions) one.unsubscribe();
    },
  };
};
