import type { EventDef } from '@teaching/contracts';
import { wait } from '../base/wait.ts';
import { statement } from '../db/statement.ts';
import { record } from '../telemetry/metrics.ts';
import { AppliedTransactions } from './applied-transactions.ts';
import type { ReadBatch } from './applier.ts';
import {
  type FollowDeps,
  type FollowerState,
  createLogFollower,
  type LogFollower,
  type LogFollowerSpec,
  logNameOf,
} from './log-follower.ts';
import {
  beginGeneration,
  generationFollower,
  type Generation,
  abandonGeneration,
  listGenerations,
  switchGeneration,
} from './generations.ts';
import { Mailbox } from './mailbox.ts';
import { orderOf, type Offset } from './offset.ts';
import { Mutex } from '../base/mutex.ts';
import { inWorkerTransaction, type WorkerTransaction } from './worker-transaction.ts';
import { WakeSignal } from './wake-signal.ts';

/** What a follower that cannot be built anew is told when its source does not have what it applied. */
export interface LostRange {
  log: string;
  /** The last that was applied. */
  at: Offset;
  /** Where it goes on; what was applied after it can no longer be proven, what lies between may be missing. */
  on_from: Offset;
  why: string;
}

/** The follower of a service: which events it follows, and what it does with them. */
export interface FollowerDefinition {
  name: string;
  /** Events of one log come in its order; those of different logs as they happen to. */
  follows: readonly EventDef[];
  apply: ReadBatch;
  /** It keeps its rows by generation (see `Generation`), so it is built anew when its source went back. */
  generations?: true;
  /** Else it says here what it can no longer prove. */
  lost?: (tx: WorkerTransaction, part: LostRange) => void;
}

/** While a generation is being built. */
const POLL_MS = 500;
/** Otherwise. A rebuild may be asked for in any instance, so only the database tells of it. */
const IDLE_MS = 2_000;
/** A generation this close behind is switched to. */
const CLOSE = 300;
const SWITCH_MS = 10_000;

const BREAK = statement(`
  update follower_position set broken = true, trouble = $3, trouble_since = now() where follower = $1 and log = $2`);

/** One generation at work: a follower for each log, all in one turn. */
interface Running {
  gen: number;
  followers: LogFollower[];
  lately: AppliedTransactions;
  stop(): Promise<void>;
}

const placesOf = (running: Running): Map<string, FollowerState> =>
  new Map(running.followers.map((one) => [one.state().log, one.state()]));

export const runFollower = (deps: FollowDeps, def: FollowerDefinition) => {
  const running = new Map<number, Running>();
  /** The generation that answers are made of. */
  let counting: Running | undefined;
  let isBuilding = false;
  /** Woken when a generation was begun here. */
  const begun = new WakeSignal();
  const sources = [...Map.groupBy(def.follows, (event) => logNameOf(event)).values()];
  const nameOfGen = (gen: number): string => (def.generations ? generationFollower(def.name, gen) : def.name);

  /** The rows of a generation are void: it stays as it is, and another one is built. */
  const buildAnew = async (gen: number, log: string, why: string): Promise<void> => {
    const state = (await listGenerations(deps)).find((one) => one.gen === gen)?.state;
    if (state === 'building') await abandonGeneration(deps, gen);
    await inWorkerTransaction(deps, async (tx) => {
      tx.run(BREAK, nameOfGen(gen), log, why);
      await beginGeneration(tx, why);
    });
    begun.wake();
  };

  const lost =
    (gen: number, log: string): LogFollowerSpec['lost'] =>
    async (at, answer) => {
      const why =
        answer.state === 'hole'
          ? `${log} was cut after ${at.no}, it goes on after ${answer.base}`
          : `${log} went back: ${at.epoch}/${at.no} was applied, the source is at ${answer.head.epoch}/${answer.head.no}`;
      deps.log.error({ follower: nameOfGen(gen), log, at, answer }, why);
      record.ghosts(nameOfGen(gen), log);
      if (def.generations) {
        await buildAnew(gen, log, why);
        return undefined;
      }
      const no = answer.state === 'hole' ? answer.base : (answer.common ?? Math.min(at.no, answer.head.no));
      const on_from = { epoch: at.epoch, no, id: null };
      await inWorkerTransaction(deps, async (tx) => def.lost?.(tx, { log, at, on_from, why }));
      return on_from;
    };

  /** What is followed for the first time is in the log from its beginning: another generation reads all of it. */
  const passedOver =
    (log: string): LogFollowerSpec['passedOver'] =>
    async (names) => {
      const why = `${names.join(', ')} of ${log} followed for the first time`;
      deps.log.warn({ follower: def.name, log, names }, why);
      if (!def.generations) return;
      await inWorkerTransaction(deps, async (tx) => void (await beginGeneration(tx, why)));
      begun.wake();
    };

  const start = (gen: number, signal: AbortSignal): Running => {
    const stopping = new AbortController();
    const stop = AbortSignal.any([stopping.signal, signal]);
    const turn = new Mutex();
    const lately = new AppliedTransactions();
    const parts = sources.map((follows) => {
      const [source] = follows as [EventDef, ...EventDef[]];
      const log = logNameOf(source);
      const spec: LogFollowerSpec = {
        follower: nameOfGen(gen),
        generation: gen,
        log,
        source,
        follows,
        apply: def.apply,
        turn,
        lately,
        lost: lost(gen, log),
        passedOver: passedOver(log),
      };
      const mailbox = new Mailbox(deps.bus, source);
      const follower = createLogFollower(deps, spec, mailbox);
      return { follower, ended: follower.run(stop).finally(() => mailbox.close()) };
    });
    return {
      gen,
      followers: parts.map(({ follower }) => follower),
      lately,
      stop: async () => {
        stopping.abort();
        await Promise.all(parts.map(({ ended }) => ended));
      },
    };
  };

  /** Whether a generation has all that another one has, or all there is when that one is no measure any more. */
  const hasAllOf = (building: Running, current: Running): boolean => {
    const places = placesOf(current);
    return [...placesOf(building).values()].every(({ log, position, head, broken }) => {
      const other = places.get(log);
      if (broken || head === undefined) return false;
      return other === undefined || other.broken
        ? orderOf(position) >= orderOf(head)
        : orderOf(position) >= orderOf(other.position);
    });
  };

  const isClose = (building: Running): boolean =>
    building.followers.every((one) => {
      const { position, head, broken } = one.state();
      return !broken && head !== undefined && position.epoch === head.epoch && head.no - position.no < CLOSE;
    });

  /** The old one pauses, the new one becomes equal to it, and one transaction switches. */
  const switchOver = async (building: Running, current: Running, signal: AbortSignal): Promise<void> => {
    await current.stop();
    const until = Date.now() + SWITCH_MS;
    while (!signal.aborted && !hasAllOf(building, current) && Date.now() < until) await wait(5, signal);
    if (!signal.aborted && hasAllOf(building, current) && (await switchGeneration(deps, building.gen))) {
      counting = building;
      deps.log.info({ generation: building.gen }, 'a new generation counts');
    }
    running.delete(current.gen);
    deps.onApplied();
  };

  /** Follows for every generation at work, and for no other; switches to the one being built when it is close. */
  const followGenerations = async (signal: AbortSignal): Promise<void> => {
    const generations: Generation[] = def.generations ? await listGenerations(deps) : [{ gen: 0, state: 'current' }];
    for (const [gen, one] of running) {
      if (generations.some((wanted) => wanted.gen === gen)) continue;
      running.delete(gen);
      await one.stop();
    }
    for (const { gen } of generations) if (!running.has(gen)) running.set(gen, start(gen, signal));
    const [current, building] = (['current', 'building'] as const).map((state) =>
      running.get(generations.find((one) => one.state === state)?.gen ?? -1),
    );
    counting = current;
    isBuilding = building !== undefined;
    if (current !== undefined && building !== undefined && isClose(building)) {
      await switchOver(building, current, signal);
    }
  };

  return {
    /** Follows until `signal` is aborted; only the leading instance does. */
    run: async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        await followGenerations(signal).catch((error: unknown) =>
          deps.log.warn({ err: error }, 'generations cannot be read'),
        );
        await begun.pause(isBuilding ? POLL_MS : IDLE_MS, signal);
      }
      await Promise.all([...running.values()].map((one) => one.stop()));
      running.clear();
      counting = undefined;
    },
    /** How many events of a transaction were applied by this instance; undefined when another one follows. */
    applied: (tx_id: string): number | undefined => counting?.lately.count(tx_id),
    /** What is followed by this instance. */
    state: (): FollowerState[] => [...running.values()].flatMap(({ followers }) => followers.map((one) => one.state())),
  };
};
