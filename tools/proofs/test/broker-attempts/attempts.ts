import type { NatsConnection, Subscription } from '@nats-io/transport-node';
import type { BrokerState } from './broker-state.ts';
import type { Listeners } from './listeners.ts';
import type { Party } from './parties.ts';

export interface Scene {
  attacker: Party;
  /** The attacker's connection, with its own credentials. */
  nc: NatsConnection;
  state: BrokerState;
  listeners: Listeners;
  /** Messages that the attacker received and may not read. */
  leaks: string[];
  /** Subscriptions of the current attempts. They end with the group. */
  subscriptions: Subscription[];
}

export interface Attempt {
  target: string;
  run: (scene: Scene) => void | Promise<void>;
}

/** Attempts of one kind. */
export interface Group {
  kind: string;
  attempts: readonly Attempt[];
  prepare?: (scene: Scene) => Promise<void>;
  /** Resolves when the broker has handled the attempts; false if the broker does not handle such requests at all. */
  isHandled?: (scene: Scene) => Promise<boolean>;
  /** Other users publish during the attempts, so only what the attacker receives is an effect. */
  readsOnly?: boolean;
}

/** The effects of the attempts on others, which are undone. */
const effectsOf = async (scene: Scene, group: Group, attempts: readonly Attempt[]): Promise<string[]> => {
  const { attacker, nc, state, listeners, leaks, subscriptions } = scene;
  await group.prepare?.(scene);
  const before = await state.snapshot(attacker);
  await listeners.received();
  listeners.begin(attacker);
  leaks.length = 0;
  for (const { run } of attempts) await run(scene);
  await nc.flush();
  const isHandled = (await group.isHandled?.(scene)) ?? true;
  const changes = await state.undoChanges(attacker, before);
  const received = await listeners.received();
  await nc.flush();
  for (const subscription of subscriptions.splice(0)) subscription.unsubscribe();
  const effects = group.readsOnly === true ? leaks : [...changes, ...received, ...leaks];
  return isHandled ? [...effects] : [...effects, 'the broker handles no such request, so they prove nothing'];
};

/** Makes the attempts together. If that has effects, makes each alone, and resolves with those that have an effect. */
export const effectiveAttempts = async (scene: Scene, group: Group): Promise<string[]> => {
  const all = await effectsOf(scene, group, group.attempts);
  if (all.length === 0) return [];
  const found: string[] = [];
  for (const attempt of group.attempts) {
    const [effect] = await effectsOf(scene, group, [attempt]);
    if (effect !== undefined) found.push(`${group.kind}, ${attempt.target}: ${effect}`);
  }
  return found.length > 0 ? found : all.map((effect) => `${group.kind}: ${effect}`);
};
