import { createLoad } from '../load.ts';
import { checkAgreement } from '../check-agreement.ts';
import { type Scenario, summary, logSummary } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';

const readiness = async ({ api }: System): Promise<string> => {
  const { status, body } = await api({ path: '//health/ready', org: '-' });
  return `${status} ${JSON.stringify(body)}`;
};

/** The broker has no room for more. Writes do not depend on it; what depends on it goes another way, or says so. */
export const storeFull: Scenario = {
  name: 'store-full',
  about: "the broker's store is full",
  on: { store: '600KB' },
  story: async (system, context) => {
    const usual = await readiness(system);
    const load = await createLoad(system, { seed: context.seed, writers: 3, restMs: 5 });
    await load.during(8_000);
    const refused = load.record.writes.filter(({ kind, done }) => kind === 'grant' && !done).length;
    const { wrong } = await checkAgreement(system, load, 15_000);
    const now = await readiness(system);
    const isTold = now !== usual;
    const ready = `readiness ${isTold ? `tells: ${now}` : 'is as it was'}`;
    const state = wrong.length === 0 ? 'statistics and audit go on' : `statistics and audit stand: ${summary(wrong)}`;
    const line = `${load.record.acknowledged()} writes, ${refused} refused; ${state}; ${ready}; ${logSummary(system)}`;
    return { ok: refused === 0 && (wrong.length === 0 || isTold), line };
  },
};
