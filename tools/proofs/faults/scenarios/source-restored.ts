import { createLoad, type Load } from '../load.ts';
import { type Scenario, checkAtEnd, requireHealthy } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';

/** Restores the Postgres of the sources from its copy, and notes which writes may be lost. */
const restoreSources = async (system: System, load: Load): Promise<void> =>
  load.noteRestore(await system.postgres.restoreCopy('older'));

const writeAndRestore = async (system: System, seed: number): Promise<Load> => {
  const load = await createLoad(system, { seed });
  await load.writeCount(100);
  load.noteCopy(await system.postgres.copy('older'));
  await load.writeCount(100);
  await requireHealthy(system, load);
  await restoreSources(system, load);
  return load;
};

export const postgresRestored: Scenario = {
  name: 'postgres-put-back',
  about: "the sources' Postgres is restored; the stream and the statistics' Postgres are not",
  system: { separateStatsDatabase: true },
  run: async (system, context) => {
    const load = await writeAndRestore(system, context.seed);
    await system.heal();
    return checkAtEnd(system, load);
  },
};

export const clusterRestored: Scenario = {
  name: 'whole-cluster-put-back',
  about: 'Postgres with sources and statistics is restored, the stream is not; then new writes follow',
  run: async (system, context) => {
    const load = await writeAndRestore(system, context.seed);
    await load.writeCount(100);
    await system.heal();
    return checkAtEnd(system, load);
  },
};

/** The restored log grows beyond its old length, so its length alone does not reveal the restore. */
export const standbyTakesOver: Scenario = {
  name: 'overtaken',
  about: "the sources' Postgres is restored and its log exceeds the old length before statistics restart",
  system: { separateStatsDatabase: true },
  run: async (system, context) => {
    const load = await createLoad(system, { seed: context.seed });
    await load.writeCount(80);
    load.noteCopy(await system.postgres.copy('older'));
    const before = load.record.acknowledged();
    await load.writeCount(100);
    await requireHealthy(system, load);
    const lost = load.record.acknowledged() - before;
    for (const one of system.instancesOf('stats')) await one.kill();
    await restoreSources(system, load);
    await load.writeCount(Math.ceil(lost * 1.3));
    await system.heal();
    return checkAtEnd(system, load);
  },
};
