import { mkdir } from 'node:fs/promises';
import type { JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { streamName } from '../../../libs/kit/src/index.ts';
import { type BusAddress, connectOnce } from '../../../libs/kit/src/rpc/bus-login.ts';
import { reasonOf } from '../../../libs/kit/src/telemetry/failure-log.ts';
import { LOGS } from '../broker/reader-account.ts';
import { brokerLayout } from './broker-layout.ts';
import type { StreamManagers } from './managers.ts';
import { findStream } from './find-stream.ts';
import { type MoveStep, moveStepOf } from './move-plan.rules.ts';
import { restoreStream } from './restore-stream.ts';
import { saveStream } from './save-stream.ts';
import { withRetries } from './with-retries.ts';
import { positionsOf, readSaved, type Position, type SavedStream, writeSaved } from './saved-stream.ts';

/** The streams that services publish to. */
const STREAMS = LOGS.map(({ service, log }) => ({ service, name: streamName(service, log) }));

export interface MoveOptions {
  folder: string;
  /** Only describe what is to be done. */
  dryRun: boolean;
  /** Also replace streams with other messages and consumers. */
  replace: boolean;
  print: (line: string) => void;
}

export interface MoveResult {
  /** `saved`: the broker has a single account. `moved`: it has one for each service. */
  done: 'saved' | 'moved';
  streams: readonly { name: string; messages: number; last_seq: number; consumers: readonly Position[] }[];
}

const named = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${name}: ${reasonOf(error)}`, { cause: error });
  }
};

const resultOf = (done: MoveResult['done'], streams: readonly SavedStream[]): MoveResult => ({
  done,
  streams: streams.map(({ name, state: { messages, last_seq }, positions }) => ({
    name,
    messages,
    last_seq,
    consumers: positions,
  })),
});

const describe = ({ state, positions }: Pick<SavedStream, 'state' | 'positions'>): string => {
  const consumers = positions.map(({ name, ack_floor }) => `${name} at ${ack_floor}`).join(', ');
  return `${state.messages} messages up to ${state.last_seq}, ${state.bytes} bytes, consumers: ${consumers || 'none'}`;
};

const saveAll = async (nc: NatsConnection, manager: JetStreamManager, options: MoveOptions): Promise<MoveResult> => {
  const { folder, dryRun, print } = options;
  print(`The broker has a single account. To be saved in ${folder}; nothing is changed at the broker:`);
  const found = new Set<string>();
  for await (const name of manager.streams.names()) found.add(name);
  for (const name of found) {
    const isOurs = STREAMS.some((stream) => stream.name === name);
    const { state } = await manager.streams.info(name);
    print(
      isOurs
        ? `  ${name}: ${describe({ state, positions: await positionsOf(manager, name) })}`
        : `  not ${name}, which no service uses`,
    );
  }
  if (dryRun) return resultOf('saved', []);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const streams: SavedStream[] = [];
  for (const { service, name } of STREAMS.filter((stream) => found.has(stream.name))) {
    const saved = await named(name, () => saveStream(nc, manager, { name, service, folder }));
    print(`saved ${name}: ${describe(saved)}`);
    streams.push(saved);
  }
  return resultOf('saved', streams);
};

interface PlannedMove {
  saved: SavedStream;
  step: MoveStep;
}

const planMoves = async (managers: StreamManagers, folder: string): Promise<PlannedMove[]> => {
  const moves: PlannedMove[] = [];
  for (const { service, name } of STREAMS) {
    const saved = await readSaved(folder, name);
    const manager = managers.get(service);
    if (saved === undefined || manager === undefined) continue;
    const found = await named(name, () => withRetries(() => findStream(manager, saved)));
    moves.push({ saved, step: moveStepOf(saved, found) });
  }
  return moves;
};

const STEPS = {
  restore: 'restore',
  replace: 'replace what its service created meanwhile, which has no consumers, by',
  'is moved': 'is there already',
  'is in use': 'has other messages and consumers already; saved:',
} satisfies Record<MoveStep, string>;

/** Restores as the operator in the account of the service. */
const restoreIn = async (bus: BusAddress, saved: SavedStream, folder: string): Promise<void> => {
  const nc = await connectOnce({ ...bus, NATS_USER: `admin_${saved.service}` }, 'move-streams');
  try {
    await restoreStream(nc, saved, folder);
  } finally {
    await nc.close();
  }
};

const restoreAll = async (
  bus: BusAddress,
  managers: StreamManagers,
  { folder, dryRun, replace, print }: MoveOptions,
): Promise<MoveResult> => {
  const moves = await planMoves(managers, folder);
  if (moves.length === 0)
    throw new Error(`${folder} has no saved streams, and the broker has an account for each service`);
  print(`The broker has an account for each service. Streams of ${folder}:`);
  for (const { saved, step } of moves) print(`  ${saved.name}: ${STEPS[step]} ${describe(saved)}`);
  const inUse = moves.filter(({ step }) => step === 'is in use').map(({ saved }) => saved.name);
  if (inUse.length > 0 && !replace)
    throw new Error(
      `${inUse.join(', ')}: in use, so nothing was changed. --replace (REPLACE=yes of deploy/broker-accounts.sh) replaces them`,
    );
  const streams = moves.map(({ saved }) => saved);
  if (dryRun) return resultOf('moved', []);
  for (const { saved, step } of moves) {
    const { name } = saved;
    if (step !== 'is moved') await named(name, () => restoreIn(bus, saved, folder));
    await writeSaved(folder, { ...saved, moved: true });
    if (step !== 'is moved') print(`restored ${name}: ${describe(saved)}`);
  }
  return resultOf('moved', streams);
};

/**
 * Moves the streams of a single account, as in release 0.2.0, to the accounts of their services. Saves them while the
 * broker has a single account, and restores them when it has an account for each service. Can be repeated.
 */
export const moveStreams = async (bus: BusAddress, options: MoveOptions): Promise<MoveResult> => {
  const nc = await connectOnce(bus, 'admin');
  try {
    const layout = await brokerLayout(nc);
    return layout.accounts === 'single'
      ? await saveAll(nc, layout.manager, options)
      : await restoreAll(bus, layout.managers, options);
  } finally {
    await nc.close();
  }
};
