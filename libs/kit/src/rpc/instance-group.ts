import { randomBytes } from 'node:crypto';
import type { Msg } from '@nats-io/transport-node';
import { readJson } from '../base/json.ts';
import type { Bus } from './message-bus.ts';
import { encodeHeartbeat, Heartbeat, HEARTBEAT_MS, Instances, SILENT_MS } from './instances.ts';
import type { Requester } from './requester.ts';
import { ALL_PEERS, isReplySubject, peerSubject } from './subjects.ts';

/** The callbacks of one peer. */
export interface GroupHandlers {
  /** Answers a request of another peer. `undefined`: no answer is sent. */
  answer(request: unknown): object | undefined;
  /** The list of other peers changed: a peer joined, left or became silent. */
  onChange(): void;
  /** This peer was disconnected or paused. Other peers may have continued without it. */
  onReturn(): void;
  /** Called at each heartbeat of this peer. */
  onHeartbeat(): void;
}

/** A group of instances of one NATS user that know each other. */
export interface InstanceGroup {
  readonly id: string;
  /** The ids of the other peers of the group. */
  others(): readonly string[];
  /**
   * Sends a request to one peer, or to all, and resolves with the first answer. Rejects with `unavailable` at once if
   * no peer listens, and with `timeout` within 250 ms after the deadline (milliseconds of `performance.now()`).
   */
  request(to: string, request: object, deadline: number): Promise<unknown>;
  /** Begins heartbeats: the other peers know this one and may send it requests. */
  announce(): void;
  /** From now on this peer answers requests to all peers, too. */
  join(): void;
  leave(): void;
}

const encode = (value: object): Buffer => Buffer.from(JSON.stringify(value));

/** Creates one peer of a group. It knows the others at once. The others know it after `announce`. */
export const joinInstanceGroup = (
  bus: Bus,
  requester: Requester,
  group: string,
  handlers: GroupHandlers,
): InstanceGroup => {
  const id = randomBytes(8).toString('hex');
  const instances = new Instances();
  const subject = (to: string): string => peerSubject(bus.user, group, to);
  const HEARTBEATS = 'beat';
  let lastBeat = performance.now();

  const receiveHeartbeat = (message: Msg): void => {
    const heartbeat = Heartbeat.safeParse(readJson(message.data));
    if (!heartbeat.success) return;
    if (heartbeat.data.id === id) {
      instances.recordDelivery(performance.now());
      return;
    }
    const before = instances.all(group).length;
    instances.recordHeartbeat(group, heartbeat.data, performance.now());
    const now = instances.all(group).length;
    if (now !== before) handlers.onChange();
    // So that the new peer knows this one at once.
    if (now > before) publishHeartbeat(false);
  };
  const receiveRequest = (message: Msg): void => {
    const { reply } = message;
    if (reply === undefined || !isReplySubject(reply, bus.user, bus.user)) return;
    const answer = handlers.answer(readJson(message.data));
    if (answer !== undefined) bus.publishSoon(reply, encode(answer));
  };
  const listen = (to: string, callback: (message: Msg) => void) =>
    bus.listen(subject(to), { callback: (error, message) => (error === null ? callback(message) : undefined) });
  const subscriptions = [listen(HEARTBEATS, receiveHeartbeat), listen(id, receiveRequest)];

  const publishHeartbeat = (leaving: boolean): void => {
    if (bus.isUp()) bus.publishSoon(subject(HEARTBEATS), encodeHeartbeat(id, leaving));
  };

  const beat = (): void => {
    const now = performance.now();
    const late = now - lastBeat - HEARTBEAT_MS;
    lastBeat = now;
    publishHeartbeat(false);
    if (late > SILENT_MS) handlers.onReturn();
    if (instances.removeSilent().length > 0) handlers.onChange();
    handlers.onHeartbeat();
  };
  let beating: NodeJS.Timeout | undefined;
  const unlisten = bus.onUp(() => {
    publishHeartbeat(false);
    handlers.onReturn();
  });

  return {
    id,
    others: () => instances.all(group).map((one) => one.id),
    request: async (to, request, deadline) =>
      readJson(await requester.request(bus.user, subject(to), encode(request), deadline)),
    announce: () => {
      publishHeartbeat(false);
      beating ??= setInterval(beat, HEARTBEAT_MS).unref();
    },
    join: () => void subscriptions.push(listen(ALL_PEERS, receiveRequest)),
    leave: () => {
      clearInterval(beating);
      unlisten();
      publishHeartbeat(true);
      for (const one of subscriptions) one.unsubscribe();
    },
  };
};
