import type { NatsConnection, Subscription, SubscriptionOptions } from '@nats-io/transport-node';

/** A subscription that moves with the bus from one connection to another. */
export interface MovableSubscription {
  unsubscribe(): void;
  /** Ends the subscription, and resolves when all messages that arrived before are delivered. */
  drain(): Promise<void>;
}

/** The options of the NATS client. `isFixed`: the subscription does not move to another connection. */
export interface ListenOptions extends SubscriptionOptions {
  isFixed?: boolean;
}

/** Keeps the subscriptions of a process, so that all of them can be repeated on another connection. */
export const createSubscriptions = () => {
  const all = new Set<{ subject: string; options: SubscriptionOptions; on: Subscription[] }>();
  return {
    listen: (
      nc: NatsConnection,
      subject: string,
      { isFixed = false, ...options }: ListenOptions,
    ): MovableSubscription => {
      const one = { subject, options, on: [nc.subscribe(subject, options)] };
      if (!isFixed) all.add(one);
      return {
        unsubscribe: () => {
          all.delete(one);
          for (const each of one.on) each.unsubscribe();
        },
        drain: async () => {
          all.delete(one);
          await Promise.all(one.on.map((each) => each.drain()));
        },
      };
    },
    /** Repeats all subscriptions on this connection. */
    repeatOn: (nc: NatsConnection): void => {
      for (const { subject, options, on } of all) on.push(nc.subscribe(subject, options));
    },
    /** Forgets the subscriptions of former connections. They are closed. */
    forgetFormer: (): void => {
      for (const { on } of all) on.splice(0, on.length - 1);
    },
  };
};
