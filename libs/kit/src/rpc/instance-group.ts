import { randomBytes } from 'node:crypto';
import type { Msg } from '@nats-io/transport-node';
import { readJson } from '../base/json.ts';
import type { Bus } from './connect.ts';
import { Heartbeat, HEARTBEAT_MS, Instances, SILENT_MS } from './instances.ts';
import type { Requester } from './requester.ts';
import { ALL_PEERS, isReplySubject, peerSubject } from './subjects.ts';

/** The behaviour of one peer. */
export interface GroupHandlers {
  /** Answers a question of another peer; `undefined` sends no answer. */
  answer(question: unknown): object | undefined;
  /** Other peers came, left or fell silent. */
  changed(): void;
  /** This peer was cut off or paused: others may have gone on without it. */
  returned(): void;
  /** At each heartbeat. */
  beat(): void;
}

/** Instances of one user of the broker that know each other. */
export interface InstanceGroup {
  readonly id: string;
  /** The other peers of the group. */
  others(): readonly string[];
  /**
   * Asks one peer, or all, and resolves with the first answer. Rejects with `unavailable` at once when there is none, and
   * with `timeout` once the deadline (epoch ms) has passed, a quarter of a second later at most.
   */
  ask(to: string, question: object, deadline: number): Promise<unknown>;
  /** From now on others know it and may ask it. */
  appear(): void;
  /** From now on it answers questions to all. */
  join(): void;
  leave(): void;
}

const encode = (value: object): Buffer => Buffer.from(JSON.stringify(value));

/** One peer of a group. It knows the others at once; they know it when it appears. */
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
  let beaten = Date.now();

  const receiveHeartbeat = (message: Msg): void => {
    const heartbeat = Heartbeat.safeParse(readJson(message.data));
    if (!heartbeat.success) return;
    if (heartbeat.data.id === id) {
      instances.noteDelivery(performance.now());
      return;
    }
    const before = instances.all(group).length;
    instances.note(group, heartbeat.data, performance.now());
    const now = instances.all(group).length;
    if (now !== before) handlers.changed();
    // A peer that came learns of this one at once.
    if (now > before) publishHeartbeat(false);
  };
  const receiveQuestion = (message: Msg): void => {
    const { reply } = message;
    if (reply === undefined || !isReplySubject(reply, bus.user, bus.user)) return;
    const answer = handlers.answer(readJson(message.data));
    if (answer !== undefined) bus.publishSoon(reply, encode(answer));
  };
  const listen = (to: string, callback: (message: Msg) => void) =>
    bus.listen(subject(to), { callback: (error, message) => (error === null ? callback(message) : undefined) });
  const subscriptions = [listen(HEARTBEATS, receiveHeartbeat), listen(id, receiveQuestion)];

  const publishHeartbeat = (leaving: boolean): void => {
    if (bus.isUp()) bus.publishSoon(subject(HEARTBEATS), encode({ id, leaving } satisfies Heartbeat));
  };

  const beat = (): void => {
    const now = Date.now();
    const late = now - beaten - HEARTBEAT_MS;
    beaten = now;
    publishHeartbeat(false);
    if (late > SILENT_MS) handlers.returned();
    if (instances.takeSilent().length > 0) handlers.changed();
    handlers.beat();
  };
  let beating: NodeJS.Timeout | undefined;
  const unlisten = bus.onUp(() => {
    publishHeartbeat(false);
    handlers.returned();
  });

  return {
    id,
    others: () => instances.all(group).map((one) => one.id),
    ask: async (to, question, deadline) =>
      readJson(await requester.request(bus.user, subject(to), encode(question), deadline)),
    appear: () => {
      publishHeartbeat(false);
      beating ??= setInterval(beat, HEARTBEAT_MS).unref();
    },
    join: () => void subscriptions.push(listen(ALL_PEERS, receiveQuestion)),
    leave: () => {
      clearInterval(beating);
      unlisten();
      publishHeartbeat(true);
      for (const one of subscriptions) one.unsubscribe();
    },
  };
};
