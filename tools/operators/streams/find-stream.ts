import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream';
import type { FoundStream } from './move-plan.rules.ts';
import { messageOf, positionsOf, type SavedStream } from './saved-stream.ts';

/** The stream with the name of a saved one in the account of its service; `undefined` if there is none. */
export const findStream = async (
  manager: JetStreamManager,
  { name, last }: SavedStream,
): Promise<FoundStream | undefined> => {
  try {
    const { last_seq } = (await manager.streams.info(name)).state;
    const same_seq = last === undefined ? undefined : await messageOf(manager, name, { seq: last.seq });
    return { last_seq, same_seq, positions: await positionsOf(manager, name) };
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return undefined;
    throw error;
  }
};
