import { randomBytes } from 'node:crypto';
import type { Msg } from '@nats-io/transport-node';
import { readJson } from '../base/json.ts';
import type { Bus } from './connect.ts';
import { Beat, BEAT_MS, Instances, STALE_MS } from './instances.ts';
import type { Requester } from './requester.ts';
import { ALL_PEERS, isReplySubject, peerSubject } from './subjects.ts';

/** What a peer does with what it hears. */
export interface PeerHandlers {
  /** Answers what another asks; `undefined`: nothing is answered. */
  answer(question: unknown): object | undefined;
  /** Others came, left or fell silent. */
  changed(): void;
  /** This one was cut off, or stood still: others may have gone on without it. */
  returned(): void;
  /** At each beat. */
  beat(): void;
}

/** Instances of one user of the broker that hear of each other. */
export interface Peers {
  readonly id: string;
  /** Others of the group that are there. */
  others(): readonly string[];
  /**
   * Asks one of them, or all, and resolves with the first answer. Rejects with `unavailable` at once when nobody is there,
   * with `timeout` once the deadline (epoch ms) has passed, and a quarter of a second later at most.
   */
  ask(to: string, question: object, deadline: number): Promise<unknown>;
  /** From now on others hear of it, and may ask it. */
  appear(): void;
  /** From now on it is among those who are asked when all are. */
  join(): void;
  leave(): void;
}

const encode = (said: object): Buffer => Buffer.from(JSON.stringify(said));

/** One instance of a group; it hears the others at once, and they hear of it when it joins. */
export const createPeers = (bus: Bus, requester: Requester, group: string, handlers: PeerHandlers): Peers => {
  const id = randomBytes(8).toString('hex');
  const instances = new Instances();
  const subject = (to: string): string => peerSubject(bus.user, group, to);
  const BEATS = 'beat';
  let beaten = Date.now();

  const hear = (message: Msg): void => {
    const beat = Beat.safeParse(readJson(message.data));
    if (!beat.success || beat.data.id === id) return;
    const before = instances.all(group).length;
    instances.heard(group, beat.data, Date.now());
    const now = instances.all(group).length;
    if (now !== before) handlers.changed();
    // Who came hears of this one at once.
    if (now > before) say(false);
  };
  const arrive = (message: Msg): void => {
    const { reply } = message;
    if (reply === undefined || !isReplySubject(reply, bus.user, bus.user)) return;
    const answer = handlers.answer(readJson(message.data));
    if (answer !== undefined) bus.publishSoon(reply, encode(answer));
  };
  const listen = (to: string, callback: (message: Msg) => void) =>
    bus.listen(subject(to), { callback: (error, message) => (error === null ? callback(message) : undefined) });
  const subscriptions = [listen(BEATS, hear), listen(id, arrive)];

  const say = (leaving: boolean): void => {
    if (bus.isUp()) bus.publishSoon(subject(BEATS), encode({ id, leaving } satisfies Beat));
  };

  const beat = (): void => {
    const now = Date.now();
    const late = now - beaten - BEAT_MS;
    beaten = now;
    // Who heard nobody, since it stood still or was cut off, knows nothing of others.
    if (late > BEAT_MS) instances.excuse(late);
    if (!bus.isUp()) instances.excuse(BEAT_MS);
    say(false);
    if (late > STALE_MS) handlers.returned();
    if (instances.takeStale(now).length > 0) handlers.changed();
    handlers.beat();
  };
  let beating: NodeJS.Timeout | undefined;
  const unlisten = bus.onUp(() => {
    say(false);
    handlers.returned();
  });

  return {
    id,
    others: () => instances.all(group).map((one) => one.id),
    ask: async (to, question, deadline) =>
      readJson(await requester.request(bus.user, subject(to), encode(question), deadline)),
    appear: () => {
      say(false);
      beating ??= setInterval(beat, BEAT_MS).unref();
    },
    join: () => void subscriptions.push(listen(ALL_PEERS, arrive)),
    leave: () => {
      clearInterval(beating);
      unlisten();
      say(true);
      for (const one of subscriptions) one.unsubscribe();
    },
  };
};
