import { checkAgreement } from './check-agreement.ts';
import { drawFault, type Fault } from './fault.ts';
import { createLoad, type Load } from './load.ts';
import { pause } from '../system/poll.ts';
import { type Random, randomOf } from './random.ts';
import { type ScenarioOptions, type ScenarioResult, type Scenario, summary, logSummary } from './scenario.ts';
import type { System } from '../system/start-system.ts';

/** Number of faults before the system is healed and checked. */
const faultsOf = ({ short }: ScenarioOptions): number => (short ? 3 : 6);
const WITHIN_MS = 60_000;
const MAX_LINES = 15;

/** Injects one fault after another under load. Some faults overlap. */
const injectFaults = async (
  system: System,
  load: Load,
  random: Random,
  context: ScenarioOptions,
): Promise<string[]> => {
  const names: string[] = [];
  load.start();
  for (let n = 0; n < faultsOf(context); n += 1) {
    const fault: Fault = drawFault(system, load, random);
    names.push(fault.name);
    context.log(`  ${fault.name}`);
    // A restored server loses the writes since its copy, so writes continue for a while before the fault.
    await pause(random.between(300, 2_500));
    await fault.strike();
    await pause(random.between(200, 3_000));
    // One fault in four is not healed before the next one strikes.
    if (random.below(4) > 0) await fault.heal();
    await pause(random.between(0, 1_000));
  }
  await system.heal();
  await load.stop();
  return names;
};

const runRandomFaults = async (system: System, context: ScenarioOptions): Promise<ScenarioResult> => {
  const { seed, minutes, log } = context;
  const random = randomOf(seed);
  const end = Date.now() + minutes * 60_000;
  const faults: string[] = [];
  let writes = 0;
  for (let round = 1; round === 1 || Date.now() < end; round += 1) {
    // Each round has its own organizations, which keeps every check short.
    const load = await createLoad(system, { seed: seed + round * 1_000 });
    await system.postgres.copy('older').then((at) => load.noteCopy(at));
    await system.nats.copy('older');
    faults.push(...(await injectFaults(system, load, random, context)));
    const { differences, ms } = await checkAgreement(system, load, WITHIN_MS);
    writes += load.record.acknowledged();
    if (differences.length > 0) {
      for (const line of differences.slice(0, MAX_LINES)) log(`  fault: ${line}`);
      return {
        ok: false,
        line: `seed ${seed}, round ${round}, after ${faults.join(', ')}: ${summary(differences)}; ${logSummary(system)}`,
      };
    }
    log(`  round ${round}: all agree after ${ms / 1_000} s, ${writes} writes so far`);
  }
  return { ok: true, line: `seed ${seed}: ${faults.length} faults, ${writes} writes, all agree` };
};

export const nemesis: Scenario = {
  name: 'nemesis',
  about: 'random faults, drawn from the seed',
  system: { instances: { clazz: 2, stats: 2 } },
  run: runRandomFaults,
};
