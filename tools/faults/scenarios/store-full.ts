import { createLoad } from '../load.ts';
import { check } from '../checker.ts';
import { type Scenario, summary, told } from '../scenario.ts';

/** The broker has no room for more. Writes do not depend on it; what depends on it goes another way, or says so. */
export const storeFull: Scenario = {
  name: 'store-full',
  about: "the broker's store is full",
  on: { store: '600KB' },
  story: async (system, context) => {
    const load = await createLoad(system, { seed: context.seed, writers: 3, restMs: 5 });
    await load.during(8_000);
    const refused = load.record.writes.filter(({ kind, done }) => kind === 'grant' && !done).length;
    const { wrong } = await check(system, load, 15_000);
    const ready = await system.api({ path: '//health/ready', org: '-' });
    const isTold = /stream|broker|store|outbox|log/i.test(JSON.stringify(ready.body)) || ready.status !== 200;
    const readiness = `readiness ${ready.status} ${isTold ? 'tells' : 'says nothing'}: ${JSON.stringify(ready.body).slice(0, 200)}`;
    const state = wrong.length === 0 ? 'statistics and audit go on' : `statistics and audit stand: ${summary(wrong)}`;
    const line = `${load.record.acknowledged()} writes, ${refused} refused; ${state}; ${readiness}; ${told(system)}`;
    return { ok: refused === 0 && (wrong.length === 0 || isTold), line };
  },
};
