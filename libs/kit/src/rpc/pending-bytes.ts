import type { NatsConnection } from '@nats-io/transport-node';
import { within } from '../base/within.ts';

/** Whoever collects has little patience. */
const PATIENCE_MS = 1_500;

/** Bytes of messages that were handed over and that the broker has not taken: what it answers after, it has. */
export const createPendingBytes = (connection: () => NatsConnection, isUp: () => boolean): (() => Promise<number>) => {
  const taken = new WeakMap<NatsConnection, number>();
  return async () => {
    const nc = connection();
    const handed = nc.stats().outBytes;
    // Without a connection the question would only wait with what it asks for.
    if (isUp()) {
      await within(PATIENCE_MS, 'the broker does not answer', nc.flush()).then(
        () => taken.set(nc, Math.max(taken.get(nc) ?? 0, handed)),
        () => undefined,
      );
    }
    return nc.stats().outBytes - (taken.get(nc) ?? 0);
  };
};
