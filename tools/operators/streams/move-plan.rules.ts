import type { Message, Position, SavedStream } from './saved-stream.ts';

/** The stream in the account of a service before its content is moved there. */
export interface FoundStream {
  last_seq: number;
  /** The message with the sequence of the last saved message. */
  same_seq: Message | undefined;
  positions: readonly Position[];
}

/**
 * The next step for a saved stream: `restore` it, `replace` the stream that a service created meanwhile, or
 * nothing, because it `is moved`. A stream `is in use` if it has other content and consumers of its own.
 */
export type MoveStep = 'restore' | 'replace' | 'is moved' | 'is in use';

const isContinued = ({ last, state, positions }: SavedStream, found: FoundStream): boolean => {
  if (last !== undefined) return found.same_seq?.time === last.time;
  const has = (name: string): boolean => found.positions.some((position) => position.name === name);
  return found.last_seq >= state.last_seq && positions.every(({ name }) => has(name));
};

/**
 * A service fills a stream that it created from its log, so nothing is lost when a stream without consumers is
 * replaced: the service publishes what the restored stream lacks.
 */
export const moveStepOf = (saved: SavedStream, found: FoundStream | undefined): MoveStep => {
  if (found === undefined) return 'restore';
  if (saved.moved || isContinued(saved, found)) return 'is moved';
  return found.positions.length === 0 ? 'replace' : 'is in use';
};

interface State {
  messages: number;
  first_seq: number;
  last_seq: number;
}

/**
 * The shortfalls of a restored stream against the saved one. Readers may go on as soon as it is restored, and old messages
 * expire.
 */
export const shortfallsOf = (saved: SavedStream, state: State, positions: readonly Position[]): string[] => {
  const { messages, first_seq, last_seq } = saved.state;
  const lost = state.first_seq <= first_seq && state.messages < messages;
  const isBehind = (wanted: Position): boolean => {
    const found = positions.find(({ name }) => name === wanted.name);
    return found === undefined || found.ack_floor < wanted.ack_floor || found.delivered < wanted.delivered;
  };
  return [
    ...(state.last_seq < last_seq ? [`it ends at ${state.last_seq}, not ${last_seq}`] : []),
    ...(lost ? [`it has ${state.messages} messages, not ${messages}`] : []),
    ...saved.positions.filter(isBehind).map(({ name }) => `the consumer ${name} is missing or behind`),
  ];
};

/** A limit of bytes that an account with this limit for each stream accepts. -1 is no limit. */
export const sizeWithin = (max_bytes: number, most: number): number => {
  if (most < 0) return max_bytes;
  return max_bytes < 0 ? most : Math.min(max_bytes, most);
};
