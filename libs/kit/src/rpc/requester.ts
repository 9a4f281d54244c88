import { createInbox, type Msg } from '@nats-io/transport-node';
import { Problem } from '@teaching/contracts';
import type { Bus } from './connect.ts';

interface Slot {
  deadline: number;
  resolve(data: Uint8Array): void;
  reject(problem: Problem): void;
}

const SWEEP_MS = 50;
const NO_RESPONDERS = 503;

const unavailable = (detail: string): Problem => new Problem('unavailable', detail);

export interface Requester {
  /**
   * Sends one request and resolves with the reply's bytes. Rejects with `unavailable` at once when
   * nobody listens or the broker is gone, and with `timeout` once the deadline (epoch ms) has passed.
   */
  request(subject: string, frame: Uint8Array, deadline: number): Promise<Uint8Array>;
  stop(): void;
}

/**
 * Request-reply over one inbox subscription. Each request takes a slot named by a counter; one coarse
 * timer sweeps overdue slots, so that a call costs neither a subscription nor a timer of its own.
 */
export const createRequester = (bus: Bus): Requester => {
  const slots = new Map<string, Slot>();
  const inbox = createInbox(bus.inboxPrefix);
  let counter = 0;

  const settle = (message: Msg): void => {
    const key = message.subject.slice(inbox.length + 1);
    const slot = slots.get(key);
    if (slot === undefined) return;
    slots.delete(key);
    if (message.headers?.code === NO_RESPONDERS) slot.reject(unavailable('No service answers this call'));
    else slot.resolve(message.data);
  };
  const subscription = bus.nc.subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      if (error === null) settle(message);
    },
  });

  const sweep = setInterval(() => {
    const now = Date.now();
    for (const [key, slot] of slots) {
      if (slot.deadline > now) continue;
      slots.delete(key);
      slot.reject(new Problem('timeout'));
    }
  }, SWEEP_MS);
  sweep.unref();

  bus.onDown(() => {
    for (const slot of slots.values()) slot.reject(unavailable('The message bus is not reachable'));
    slots.clear();
  });

  return {
    request: (subject, frame, deadline) => {
      if (!bus.isUp()) return Promise.reject(unavailable('The message bus is not reachable'));
      if (frame.length > (bus.nc.info?.max_payload ?? Infinity))
        return Promise.reject(new Problem('payload_too_large'));
      return new Promise((resolve, reject) => {
        const key = (counter++).toString(36);
        slots.set(key, { deadline, resolve, reject });
        bus.publishSoon(subject, frame, { reply: `${inbox}.${key}` });
      });
    },
    stop: () => {
      clearInterval(sweep);
      subscription.unsubscribe();
    },
  };
};
