import type { Generator } from '../load/generator.ts';
import { scriptFor } from '../load/script.ts';
import type { Outcome, Plan, Recorded, Work } from '../load/work.ts';
import { type Contender, quiet } from '../measure/slices.ts';
import { recordWrites } from '../record/record.ts';
import { restartLogging } from '../record/statement-log.ts';
import { otherDatabase, type System } from '../system/system.ts';
import { type Data, isRollCalls, type LoadName } from './data.ts';
import { runOf } from './loader.ts';
import type { Load } from './site.ts';

/** How many are recorded, one after the other: a slice ends when all are sent. */
const STEPS: Partial<Record<LoadName, number>> = { w2: 200, create: 600, publish: 300, 'roll-call': 200 };

/** Whether the transactions of a write can be sent again, to a database that does not have it yet. */
export const isRepeatable = (name: LoadName): boolean => STEPS[name] !== undefined;

/** So many times what was ever sent. */
const SPARE = 1.5;

const FLOOR = 'floor';
const beforeOf = (name: LoadName): string => `before_${name.replaceAll('-', '_')}`;

/** The transactions that services sent for writes, straight to a database as it was before them. */
export const writeFloorOf = (system: System, data: Data, generator: Generator) => {
  const scriptOf = async (name: LoadName) => {
    const script = scriptFor(await data.workOf(name));
    if (isRollCalls(name))
      while ((script.left?.() ?? 0) < (STEPS[name] ?? 0)) script.feed?.(await (await data.school()).moreLessons());
    return script;
  };
  const record = async (name: LoadName): Promise<Recorded[]> => {
    const script = await scriptOf(name);
    await restartLogging(system, (ask) =>
      ask(`create database ${beforeOf(name)} template teaching`).then(() => undefined),
    );
    return recordWrites(system, script, STEPS[name] ?? 0);
  };
  const recorded = new Map<LoadName, Promise<Recorded[]>>();
  return async (name: LoadName, load: Load): Promise<Contender> => {
    const recording = recorded.get(name) ?? record(name);
    recorded.set(name, recording);
    const requests = await recording;
    const key = `${system.name} its statements ${name}`;
    const work: Work = {
      name: 'statements',
      seed: { url: otherDatabase(system.adminUrl, FLOOR), requests, isOnce: true },
    };
    let left = 0;
    let rate = 0;
    const runAll = runOf(generator, key);
    const run = async (plan: Plan): Promise<Outcome> => {
      const outcome = await runAll(plan);
      left = outcome.left ?? 0;
      rate = Math.max(rate, outcome.latencies.length / outcome.seconds);
      return outcome;
    };
    const putBack = async (): Promise<void> => {
      await system.sql(`drop database if exists ${FLOOR} with (force)`);
      await system.sql(`create database ${FLOOR} template ${beforeOf(name)}`);
      await generator({ kind: 'load', key, address: system.address, work });
      // Every connection is there, and has its statements prepared.
      await run({ ...load, count: load.connections });
      await quiet([system.postmaster()]);
    };
    return {
      name: `its statements on ${system.name}`,
      system: system.name,
      floor: 'its statements',
      roots: () => [system.postmaster()],
      prepare: async (seconds) => {
        if (left === 0 || left < SPARE * rate * seconds + load.connections) await putBack();
      },
      run: (seconds) => run({ ...load, seconds, count: left }),
    };
  };
};
