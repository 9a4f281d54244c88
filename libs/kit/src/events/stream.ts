import {
  jetstreamManager,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  DiscardPolicy,
} from '@nats-io/jetstream';
import type { Bus } from '../bus/connect.ts';

export const STREAM = 'EVENTS';
/** How long the broker keeps events; the outbox tables keep them for good. */
export const STREAM_DAYS = 7;
const NANOS = 1_000_000;
const DAY_MS = 86_400_000;

/** Makes sure the stream is there; every service does, so that they may start in any order. */
export const ensureStream = async (bus: Bus): Promise<JetStreamManager> => {
  const manager = await jetstreamManager(bus.nc, { checkAPI: false });
  const known = await manager.streams.info(STREAM).catch(() => undefined);
  if (known !== undefined) return manager;
  await manager.streams
    .add({
      name: STREAM,
      subjects: ['evt.>'],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_age: STREAM_DAYS * DAY_MS * NANOS,
      duplicate_window: 120_000 * NANOS,
      num_replicas: 1,
    })
    .catch(async (error: unknown) => {
      // Another service was first.
      await manager.streams.info(STREAM).catch(() => {
        throw error;
      });
    });
  return manager;
};
