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
import type { Bus } from '../rpc/message-bus.ts';

/** Days for which the broker keeps events for outside readers. The log keeps them permanently. */
export const STREAM_DAYS = 7;
const NANOS = 1_000_000;
const DAY_MS = 86_400_000;
const DEDUPLICATE_MS = 120_000;

export interface StreamLimits {
  /** Copies in a cluster of brokers. */
  replicas: number;
  /**
   * Largest size of a stream in bytes; beyond it the oldest messages are removed. All streams together must fit into
   * the broker's storage.
   */
  max_bytes: number;
}

/** The stream of a log: `EVENTS_CLAZZ`, `AUDIT_CLAZZ`. */
export const streamName = (service: string, kind: LogKind): string =>
  `${kind === 'domain' ? 'EVENTS' : 'AUDIT'}_${service.toUpperCase()}`;

/** All subjects of a log, in all organizations or in one. */
export const subjectsOf = (service: string, kind: LogKind, org_id = '*'): string =>
  `${SUBJECT_ROOT[kind]}.${org_id}.${service}.>`;

/** The name of the event in a subject of a log, such as `clazz.hours.moved`. */
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
 * Opens the stream of a log and creates it if it is missing. An existing stream is not changed: only operators may
 * change one.
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
