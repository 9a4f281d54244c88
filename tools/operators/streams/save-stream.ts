import { open, rename } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { JetStreamManager } from '@nats-io/jetstream';
import { createInbox, type NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { inboxOf } from '../../../libs/kit/src/rpc/subjects.ts';
import { parseAnswer } from './broker-answer.ts';
import {
  dataFile,
  messageOf,
  positionsOf,
  readSaved,
  type SavedStream,
  StreamConfig,
  StreamState,
  writeSaved,
} from './saved-stream.ts';

/** The longest pause of the broker between two pieces, in milliseconds. */
const PIECE_MS = 30_000;

const Description = z.object({ config: StreamConfig, state: StreamState });

/**
 * Writes the messages and consumers of a stream to a file. The broker sends pieces, and waits while 8 MB of them are not
 * acknowledged. Resolves with its description of the stream.
 */
const receiveSnapshot = async (nc: NatsConnection, name: string, file: string) => {
  const deliver_subject = createInbox(inboxOf('admin'));
  const pieces = nc.subscribe(deliver_subject);
  // Ends the loop over the pieces.
  const timeout = setTimeout(() => pieces.unsubscribe(), PIECE_MS);
  const target = await open(file, 'w', 0o600);
  try {
    const request = JSON.stringify({ deliver_subject, jsck: true });
    const reply = await nc.request(`$JS.API.STREAM.SNAPSHOT.${name}`, request, { timeout: PIECE_MS });
    const description = parseAnswer(Description, reply);
    for await (const piece of pieces) {
      timeout.refresh();
      if (piece.headers?.hasError) throw new Error(`the broker ended the snapshot: ${piece.headers.description}`);
      if (piece.data.length === 0) {
        await target.sync();
        return description;
      }
      await target.write(piece.data);
      piece.respond();
    }
    throw new Error(`the broker sent nothing for ${PIECE_MS / 1_000} s`);
  } finally {
    clearTimeout(timeout);
    pieces.unsubscribe();
    await target.close();
  }
};

export interface StreamToSave {
  name: string;
  service: string;
  folder: string;
}

/**
 * Saves a stream with its consumers to files. Throws if it was used meanwhile, or if the folder has a later state of it.
 */
export const saveStream = async (
  nc: NatsConnection,
  manager: JetStreamManager,
  { name, service, folder }: StreamToSave,
): Promise<SavedStream> => {
  const { state, config } = await manager.streams.info(name);
  const earlier = await readSaved(folder, name);
  if (earlier !== undefined && earlier.state.last_seq > state.last_seq)
    throw new Error(
      `it ends at ${state.last_seq}, but ${folder} has it up to ${earlier.state.last_seq}: name another folder, or start the broker with its store`,
    );
  const positions = await positionsOf(manager, name);
  const last = await messageOf(manager, name, { last_by_subj: config.subjects[0] ?? '>' });
  const file = `${dataFile(folder, name)}.new`;
  const description = await receiveSnapshot(nc, name, file);
  const after = await manager.streams.info(name);
  if (after.state.last_seq !== state.last_seq || !isDeepStrictEqual(await positionsOf(manager, name), positions))
    throw new Error(
      'it was used while it was saved: stop the services and keep outside readers away, then run this again',
    );
  const saved = { name, service, ...description, last, positions, moved: false };
  await rename(file, dataFile(folder, name));
  await writeSaved(folder, saved);
  return saved;
};
