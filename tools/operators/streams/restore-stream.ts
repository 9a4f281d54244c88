import { createReadStream } from 'node:fs';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { parseAnswer } from './broker-answer.ts';
import { findStream } from './find-stream.ts';
import { shortfallsOf, sizeWithin } from './move-plan.rules.ts';
import { dataFile, positionsOf, type SavedStream } from './saved-stream.ts';
import { withRetries } from './with-retries.ts';

/** The longest wait for an answer, in milliseconds. After the last piece the broker reads all of them. */
const timeout = 120_000;
/** The bytes of one piece. */
const PIECE = 256 * 1024;

const Accepted = z.object({ deliver_subject: z.string() });
const Restored = z.looseObject({});

/**
 * Makes room for the stream and resolves with the subject for its pieces. Throws while brokers of a cluster keep a
 * restore that was not completed. After some seconds that is an empty stream.
 */
const beginRestore = async (nc: NatsConnection, manager: JetStreamManager, saved: SavedStream): Promise<string> => {
  const { name, config, state } = saved;
  if ((await findStream(manager, saved)) !== undefined) await manager.streams.delete(name);
  const { storage_max_stream_bytes: most } = (await manager.getAccountInfo()).limits;
  const request = JSON.stringify({ config: { ...config, max_bytes: sizeWithin(config.max_bytes, most) }, state });
  const reply = await nc.request(`$JS.API.STREAM.RESTORE.${name}`, request, { timeout });
  return parseAnswer(Accepted, reply).deliver_subject;
};

const checkRestored = async (manager: JetStreamManager, saved: SavedStream): Promise<void> => {
  const { state } = await manager.streams.info(saved.name);
  const shortfalls = shortfallsOf(saved, state, await positionsOf(manager, saved.name));
  if (shortfalls.length > 0) throw new Error(`it was not restored completely: ${shortfalls.join(', ')}`);
};

/**
 * Restores a saved stream with its consumers over a connection in the account of its service. The broker does not restore
 * over an import. Replaces a stream with this name. Throws if the result has less than what was saved.
 */
export const restoreStream = async (nc: NatsConnection, saved: SavedStream, folder: string): Promise<void> => {
  const manager = await jetstreamManager(nc);
  const subject = await withRetries(() => beginRestore(nc, manager, saved));
  for await (const piece of createReadStream(dataFile(folder, saved.name), { highWaterMark: PIECE })) {
    const { data } = await nc.request(subject, piece, { timeout });
    if (data.length > 0) throw new Error(`the broker refused a piece: ${new TextDecoder().decode(data)}`);
  }
  parseAnswer(Restored, await nc.request(subject, undefined, { timeout }));
  await withRetries(() => checkRestored(manager, saved));
};
