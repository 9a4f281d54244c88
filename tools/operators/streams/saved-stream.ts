import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConsumerInfo, JetStreamManager } from '@nats-io/jetstream';
import { z } from 'zod';

/** How far a durable consumer is, by sequences of its stream. */
const Position = z.object({ name: z.string(), delivered: z.int(), ack_floor: z.int(), num_ack_pending: z.int() });
export type Position = z.infer<typeof Position>;

/** A message, identified by its sequence and by the time at which the broker stored it. */
const Message = z.object({ seq: z.int(), time: z.string() });
export type Message = z.infer<typeof Message>;

/** The parts of a stream's state that are compared. The broker adds others. */
export const StreamState = z.looseObject({
  messages: z.int(),
  bytes: z.int(),
  first_seq: z.int(),
  last_seq: z.int(),
});

/** The configuration of a stream. A `max_bytes` of -1 is no limit. */
export const StreamConfig = z.looseObject({ max_bytes: z.int() });

/** A stream in the folder. The broker described its `config` and `state`. */
const SavedStream = z.object({
  name: z.string(),
  service: z.string(),
  config: StreamConfig,
  state: StreamState,
  last: Message.optional(),
  positions: z.array(Position),
  /** Whether it is in the account of its service. */
  moved: z.boolean(),
});
export type SavedStream = z.infer<typeof SavedStream>;

/** The file with the messages and consumers of a stream, in the format of the broker. */
export const dataFile = (folder: string, name: string): string => join(folder, `${name}.snapshot`);
const descriptionFile = (folder: string, name: string): string => join(folder, `${name}.json`);

/** A stream whose save was completed; `undefined` without one. */
export const readSaved = async (folder: string, name: string): Promise<SavedStream | undefined> => {
  const file = descriptionFile(folder, name);
  return existsSync(file) ? SavedStream.parse(JSON.parse(await readFile(file, 'utf8'))) : undefined;
};

/** Writes the description of a saved stream. The data without it does not count. */
export const writeSaved = async (folder: string, saved: SavedStream): Promise<void> => {
  const file = descriptionFile(folder, saved.name);
  await writeFile(`${file}.new`, `${JSON.stringify(saved, null, 2)}\n`);
  await rename(`${file}.new`, file);
};

const positionOf = ({ name, delivered, ack_floor, num_ack_pending }: ConsumerInfo): Position => ({
  name,
  delivered: delivered.stream_seq,
  ack_floor: ack_floor.stream_seq,
  num_ack_pending,
});

/** The positions of the durable consumers of a stream, by name. Other consumers end with their clients. */
export const positionsOf = async (manager: JetStreamManager, stream: string): Promise<Position[]> => {
  const positions: Position[] = [];
  for await (const info of manager.consumers.list(stream))
    if (info.config.durable_name !== undefined) positions.push(positionOf(info));
  return positions.toSorted((a, b) => a.name.localeCompare(b.name));
};

/** A message of a stream; `undefined` if there is none. */
export const messageOf = async (
  manager: JetStreamManager,
  stream: string,
  wanted: { seq: number } | { last_by_subj: string },
): Promise<Message | undefined> => {
  const found = await manager.streams.getMessage(stream, wanted);
  return found === null ? undefined : { seq: found.seq, time: found.timestamp };
};
