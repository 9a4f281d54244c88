import type { LogKind } from '@teaching/contracts';
import { SUBJECT_ROOT } from '@teaching/contracts';
import {
  DiscardPolicy,
  jetstreamManager,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream';
import type { Bus } from '../rpc/connect.ts';

/** How long the broker keeps events for those outside; the log keeps them for good. */
export const STREAM_DAYS = 7;
const NANOS = 1_000_000;
const DAY_MS = 86_400_000;
const DEDUPLICATE_MS = 120_000;

export interface StreamLimits {
  /** Copies in a cluster of brokers. */
  replicas: number;
  /** Oldest messages go when a stream grows beyond this: together below what the broker may store. */
  max_bytes: number;
}

/** Each log has a stream of its own: `EVENTS_CLAZZ`, `AUDIT_CLAZZ`. */
export const streamName = (service: string, kind: LogKind): string =>
  `${kind === 'domain' ? 'EVENTS' : 'AUDIT'}_${service.toUpperCase()}`;

/** Every subject of a log, in all organizations or one. */
export const subjectsOf = (service: string, kind: LogKind, org_id = '*'): string =>
  `${SUBJECT_ROOT[kind]}.${org_id}.${service}.>`;

/** The name of the event that is told under a subject of a log, `clazz.hours.moved`. */
export const nameInSubject = (subject: string, kind: LogKind): string =>
  subject.slice(subject.indexOf('.', SUBJECT_ROOT[kind].length + 1) + 1);

export const streamConfig = (service: string, kind: LogKind, { replicas, max_bytes }: StreamLimits) => ({
  name: streamName(service, kind),
  subjects: [subjectsOf(service, kind)],
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  discard: DiscardPolicy.Old,
  max_age: STREAM_DAYS * DAY_MS * NANOS,
  max_bytes,
  duplicate_window: DEDUPLICATE_MS * NANOS,
  num_replicas: replicas,
});

const STREAM_NOT_FOUND = 10059;
const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === STREAM_NOT_FOUND || error.code === 404);

/**
 * The stream of a log, made if it is missing. One that is there stays as it is: changing one is an operator's
 * act, for which a service has no right.
 */
export const openStream = async (
  bus: Bus,
  service: string,
  kind: LogKind,
  limits: StreamLimits,
): Promise<{ manager: JetStreamManager; info: StreamInfo }> => {
  const manager = await jetstreamManager(bus.nc, { checkAPI: false });
  const name = streamName(service, kind);
  try {
    return { manager, info: await manager.streams.info(name) };
  } catch (error) {
    if (!isMissing(error)) throw error;
    return { manager, info: await manager.streams.add(streamConfig(service, kind, limits)) };
  }
};
