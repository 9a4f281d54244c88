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

/**
 * The range that a follower without generations is notified of when its source no longer has events that it applied.
 */
export interface LostRange {
  log: string;
  /** The offset that was applied last. */
  at: Offset;
  /**
   * The offset from which the follower continues. Events applied after it can no longer be proven; events between may
   * be missing.
   */
  on_from: Offset;
  why: string;
}

/** The follower of a service: the events that it follows, and how it applies them. */
export interface FollowerDefinition {
  name: string;
  /** Events of one log arrive in its order; the order between logs is not defined. */
  follows: readonly EventDef[];
  apply: ReadBatch;
  /**
   * Its rows belong to generations (see `Generation`), so it is rebuilt when its source was restored to an earlier
   * state.
   */
  generations?: true;
  /** Without generations: records the range that can no longer be proven. */
  onLost?: (tx: WorkerTransaction, part: LostRange) => void;
}

/** Interval while a generation is being built, in milliseconds. */
const POLL_MS = 500;
/** Interval otherwise. Any instance may begin a rebuild, and only the database shows it. */
const IDLE_MS = 2_000;
/** A generation with fewer missing entries than this is switched to. */
const CLOSE = 300;
const SWITCH_MS = 10_000;

const BREAK = statement(`
  update follower_position set broken = true, trouble = $3, trouble_since = now() where follower = $1 and log = $2`);

/** A running generation: a follower for each log, with one mutex. */
interface Running {
  gen: number;
  followers: LogFollower[];
  appliedTransactions: AppliedTransactions;
  stop(): Promise<void>;
}

const statesByLog = (running: Running): Map<string, FollowerState> =>
  new Map(running.followers.map((one) => [one.state().log, one.state()]));

export const runFollower = (deps: FollowDeps, def: FollowerDefinition) => {
  const running = new Map<number, Running>();
  /** The generation that calls are answered from. */
  let currentGeneration: Running | undefined;
  let isBuilding = false;
  /** Woken when this process began a generation. */
  const generationBegun = new WakeSignal();
  const sources = [...Map.groupBy(def.follows, (event) => logNameOf(event)).values()];
  const nameOfGen = (gen: number): string => (def.generations ? generationFollower(def.name, gen) : def.name);

  /** Marks a generation as broken, so it stays as it is, and begins another one. */
  const rebuild = async (gen: number, log: string, why: string): Promise<void> => {
    const state = (await listGenerations(deps)).find((one) => one.gen === gen)?.state;
    if (state === 'building') await abandonGeneration(deps, gen);
    await inWorkerTransaction(deps, async (tx) => {
      tx.run(BREAK, nameOfGen(gen), log, why);
      await beginGeneration(tx, why);
    });
    generationBegun.wake();
  };

  const lost =
    (gen: number, log: string): LogFollowerSpec['onLost'] =>
    async (at, answer) => {
      const why =
        answer.state === 'hole'
          ? `${log} was cut after ${at.no}; it continues after ${answer.base}`
          : `${log} was restored to an earlier state: ${at.epoch}/${at.no} was applied, the source is at ${answer.head.epoch}/${answer.head.no}`;
      deps.log.error({ follower: nameOfGen(gen), log, at, answer }, why);
      record.sourceLostEvents(nameOfGen(gen), log);
      if (def.generations) {
        await rebuild(gen, log, why);
        return undefined;
      }
      const no = answer.state === 'hole' ? answer.base : (answer.common ?? Math.min(at.no, answer.head.no));
      const on_from = { epoch: at.epoch, no, id: null };
      await inWorkerTransaction(deps, async (tx) => def.onLost?.(tx, { log, at, on_from, why }));
      return on_from;
    };

  /**
   * An event that is followed for the first time may be in the log from its beginning: a new generation reads all of
   * it.
   */
  const passedOver =
    (log: string): LogFollowerSpec['onNewEvents'] =>
    async (names) => {
      const why = `${names.join(', ')} of ${log} followed for the first time`;
      deps.log.warn({ follower: def.name, log, names }, why);
      if (!def.generations) return;
      await inWorkerTransaction(deps, async (tx) => void (await beginGeneration(tx, why)));
      generationBegun.wake();
    };

  const start = (gen: number, signal: AbortSignal): Running => {
    const stopping = new AbortController();
    const stop = AbortSignal.any([stopping.signal, signal]);
    const mutex = new Mutex();
    const appliedTransactions = new AppliedTransactions();
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
        mutex,
        appliedTransactions,
        onLost: lost(gen, log),
        onNewEvents: passedOver(log),
      };
      const mailbox = new Mailbox(deps.bus, source);
      const follower = createLogFollower(deps, spec, mailbox);
      return { follower, ended: follower.run(stop).finally(() => mailbox.close()) };
    });
    return {
      gen,
      followers: parts.map(({ follower }) => follower),
      appliedTransactions,
      stop: async () => {
        stopping.abort();
        await Promise.all(parts.map(({ ended }) => ended));
      },
    };
  };

  /**
   * Whether a generation has reached the offsets of another one. If that one is broken, whether it has reached the end
   * of the logs.
   */
  const hasAllOf = (building: Running, current: Running): boolean => {
    const statesOfCurrent = statesByLog(current);
    return [...statesByLog(building).values()].every(({ log, position, head, broken }) => {
      const other = statesOfCurrent.get(log);
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

  /** Stops the old generation, waits until the new one has reached it, and switches in one transaction. */
  const switchOver = async (building: Running, current: Running, signal: AbortSignal): Promise<void> => {
    await current.stop();
    const until = performance.now() + SWITCH_MS;
    while (!signal.aborted && !hasAllOf(building, current) && performance.now() < until) await wait(5, signal);
    if (!signal.aborted && hasAllOf(building, current) && (await switchGeneration(deps, building.gen))) {
      currentGeneration = building;
      deps.log.info({ generation: building.gen }, 'switched to a new generation');
    }
    running.delete(current.gen);
    deps.onApplied();
  };

  /** Runs the followers of all active generations and stops others. Switches to the new generation when it is close. */
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
    currentGeneration = current;
    isBuilding = building !== undefined;
    if (current !== undefined && building !== undefined && isClose(building)) {
      await switchOver(building, current, signal);
    }
  };

  return {
    /** Follows until `signal` is aborted. Only the leading instance calls it. */
    run: async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        await followGenerations(signal).catch((error: unknown) =>
          deps.log.warn({ err: error }, 'generations cannot be read'),
        );
        await generationBegun.pause(isBuilding ? POLL_MS : IDLE_MS, signal);
      }
      await Promise.all([...running.values()].map((one) => one.stop()));
      running.clear();
      currentGeneration = undefined;
    },
    /** The number of events of a transaction that this instance applied; undefined if another instance follows. */
    applied: (tx_id: string): number | undefined => currentGeneration?.appliedTransactions.count(tx_id),
    /** The state of each log that this instance follows. */
    state: (): FollowerState[] => [...running.values()].flatMap(({ followers }) => followers.map((one) => one.state())),
  };
};
