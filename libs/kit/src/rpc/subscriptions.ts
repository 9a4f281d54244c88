import type { NatsConnection, Subscription, SubscriptionOptions } from '@nats-io/transport-node';

/** A subscription that moves with the bus from one connection to another. */
export interface MovableSubscription {
  unsubscribe(): void;
  /** Ends it, and resolves when all messages that had arrived were handed over. */
  drain(): Promise<void>;
}

/** The client's options. A subscription that `stays` does not move to another connection. */
export interface ListenOptions extends SubscriptionOptions {
  stays?: boolean;
}

/** The subscriptions of a process, so that it can repeat all of them on another connection. */
export const createSubscriptions = () => {
  const all = new Set<{ subject: string; options: SubscriptionOptions; on: Subscription[] }>();
  return {
    listen: (
      nc: NatsConnection,
      subject: string,
      { stays = false, ...options }: ListenOptions,
    ): MovableSubscription => {
      const one = { subject, options, on: [nc.subscribe(subject, options)] };
      if (!stays) all.add(one);
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
    alsoOn: (nc: NatsConnection): void => {
      for (const { subject, options, on } of all) on.push(nc.subscribe(subject, options));
    },
    /** Forgets the subscriptions of former connections, which are closed. */
    forgetFormer: (): void => {
      for (const { on } of all) on.splice(0, on.length - 1);
    },
  };
};
