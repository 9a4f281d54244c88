import { randomUUID } from 'node:crypto';
import { grantHours, msUntilShown } from '../poison-events.ts';
import { type Scenario, logSummary } from '../scenario.ts';

const LIMIT_MS = 15_000;

/** The leader is not visible from outside, so each instance is frozen once. */
export const frozenLeader: Scenario = {
  name: 'frozen-leader',
  about: 'each instance of clazz and of stats is frozen once, so the leader too: events flow again within 15 s',
  system: { instances: { clazz: 2, stats: 2 } },
  run: async (system) => {
    const org = randomUUID();
    const waits: string[] = [];
    let ok = true;
    for (const one of [...system.instancesOf('clazz'), ...system.instancesOf('stats')]) {
      const student = `while-${one.name}-is-frozen`;
      one.freeze();
      await grantHours(system, org, student);
      const ms = await msUntilShown(system, org, student, '2.00', LIMIT_MS + 5_000);
      one.thaw();
      waits.push(`${one.name}: ${ms === undefined ? 'never' : `${ms / 1_000} s`}`);
      ok &&= ms !== undefined && ms <= LIMIT_MS;
      await msUntilShown(system, org, student, '2.00', 30_000);
    }
    return {
      ok,
      line: `until events flow again while one instance is frozen: ${waits.join(', ')}; ${logSummary(system)}`,
    };
  },
};
