import type { NatsConnection, Subscription, SubscriptionOptions } from '@nats-io/transport-node';

/** Something that is listened to, on whichever connection. */
export interface Listening {
  unsubscribe(): void;
  /** Hears nothing new, and resolves when what had come was handed over. */
  drain(): Promise<void>;
}

/** As the client has it; what `stays` is heard on the connection of now alone. */
export interface ListenOptions extends SubscriptionOptions {
  stays?: boolean;
}

/** What a process listens to, so that it can listen to all of it on another connection as well. */
export const createSubscriptions = () => {
  const all = new Set<{ subject: string; options: SubscriptionOptions; on: Subscription[] }>();
  return {
    listen: (nc: NatsConnection, subject: string, { stays = false, ...options }: ListenOptions): Listening => {
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
    /** From now on everything is heard on this connection, too. */
    alsoOn: (nc: NatsConnection): void => {
      for (const { subject, options, on } of all) on.push(nc.subscribe(subject, options));
    },
    /** The connection that was there before the last one is closed. */
    forgetFormer: (): void => {
      for (const { on } of all) on.splice(0, on.length - 1);
    },
  };
};
