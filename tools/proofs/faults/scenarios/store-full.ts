import { createLoad } from '../load.ts';
import { checkAgreement } from '../check-agreement.ts';
import { type Scenario, summary, logSummary } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';

const readiness = async ({ api }: System): Promise<string> => {
  const { status, body } = await api({ path: '//health/ready', org: '-' });
  return `${status} ${JSON.stringify(body)}`;
};

/** The broker's store is full. Writes do not need it; functions that do must continue another way or be reported. */
export const storeFull: Scenario = {
  name: 'store-full',
  about: "the broker's store is full: writes succeed, and statistics and audit log continue or readiness reports it",
  system: { store: '600KB' },
  run: async (system, context) => {
    const usual = await readiness(system);
    const load = await createLoad(system, { seed: context.seed, writers: 3, restMs: 5 });
    await load.writeFor(8_000);
    const refused = load.record.writes.filter(({ kind, done }) => kind === 'grant' && !done).length;
    const { differences } = await checkAgreement(system, load, 15_000);
    const now = await readiness(system);
    const isReported = now !== usual;
    const ready = `readiness ${isReported ? `reports: ${now}` : 'is unchanged'}`;
    const state =
      differences.length === 0
        ? 'statistics and audit log continue'
        : `statistics and audit log stopped: ${summary(differences)}`;
    const line = `${load.record.acknowledged()} writes, ${refused} refused; ${state}; ${ready}; ${logSummary(system)}`;
    return { ok: refused === 0 && (differences.length === 0 || isReported), line };
  },
};
