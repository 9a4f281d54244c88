import { createLoad, type Load } from '../load.ts';
import { type Scenario, checkAtEnd, requireHealthy } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';

/** The source's Postgres goes back to its copy; the callers know that what came after it may be gone. */
const putBack = async (system: System, load: Load): Promise<void> =>
  load.wentBack(await system.postgres.putBack('older'));

const writeAndPutBack = async (system: System, seed: number): Promise<Load> => {
  const load = await createLoad(system, { seed });
  await load.writes(100);
  load.copied(await system.postgres.copy('older'));
  await load.writes(100);
  await requireHealthy(system, load);
  await putBack(system, load);
  return load;
};

export const postgresRestored: Scenario = {
  name: 'postgres-put-back',
  about: "the sources' Postgres goes back, the stream and the statistics' Postgres stay",
  on: { statsApart: true },
  story: async (system, context) => {
    const load = await writeAndPutBack(system, context.seed);
    await system.heal();
    return checkAtEnd(system, load);
  },
};

export const clusterRestored: Scenario = {
  name: 'whole-cluster-put-back',
  about: 'Postgres with sources and statistics goes back, the stream stays; then there are new writes',
  story: async (system, context) => {
    const load = await writeAndPutBack(system, context.seed);
    await load.writes(100);
    await system.heal();
    return checkAtEnd(system, load);
  },
};

/** Asking the source at reconnect how long its log is would miss this: it is longer than before. */
export const standbyTakesOver: Scenario = {
  name: 'overtaken',
  about: "the sources' Postgres goes back and has passed its old place before statistics come back",
  on: { statsApart: true },
  story: async (system, context) => {
    const load = await createLoad(system, { seed: context.seed });
    await load.writes(80);
    load.copied(await system.postgres.copy('older'));
    const before = load.record.acknowledged();
    await load.writes(100);
    await requireHealthy(system, load);
    const ghosts = load.record.acknowledged() - before;
    for (const one of system.of('stats')) await one.kill();
    await putBack(system, load);
    await load.writes(Math.ceil(ghosts * 1.3));
    await system.heal();
    return checkAtEnd(system, load);
  },
};
