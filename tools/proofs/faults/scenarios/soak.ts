import { randomUUID } from 'node:crypto';
import { requestHeapReports, memoryOf, WITH_HEAP_REPORT } from '../process-memory.ts';
import { waitFor } from '../../system/poll.ts';
import type { ScenarioResult, Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import { isSuccess, type RequestKinds, createRequestKinds, startCallers, failureSummary } from '../traffic.ts';

const REQUESTS = 1_000_000;
const SHORT = 30_000;
const CALLERS = 24;
const ORGS = 8;
const SAMPLE_MS = 5_000;
const GROWTH = 1.1;
/** A short run ends before memory is stable. */
const GROWTH_SHORT = 2;
const A_DAY_MS = 86_400_000;

const minimum = (values: readonly number[]): number => values.reduce((one, other) => Math.min(one, other), Infinity);

/** The lowest value of the second tenth, when all is warm, and of the last tenth. Minima exclude running requests. */
const growthOf = (values: readonly number[]): { early: number; late: number } => {
  const tenth = Math.max(1, Math.floor(values.length / 10));
  return { early: minimum(values.slice(tenth, 2 * tenth)), late: minimum(values.slice(-tenth)) };
};

const memoryGrowth = ({ instances }: System) =>
  instances.flatMap((one) => {
    const all = memoryOf(one);
    return (['needed', 'native'] as const).map((what) => ({
      name: `${one.name} ${what}`,
      ...growthOf(all.map((report) => report[what])),
    }));
  });

export const soak: Scenario = {
  name: 'soak',
  about: `${REQUESTS.toLocaleString('en')} requests at full speed: the memory of every process is flat after the first tenth`,
  system: { direct: true, env: WITH_HEAP_REPORT },
  run: async (system, { short, log }): Promise<ScenarioResult> => {
    const wanted = short ? SHORT : REQUESTS;
    const mixes = await Promise.all(Array.from({ length: ORGS }, () => createRequestKinds(system.api, randomUUID())));
    const kinds: RequestKinds = Object.fromEntries(
      mixes.flatMap((mix, n) => Object.entries(mix).map(([name, ask]) => [`${name} ${n}`, ask])),
    );
    const traffic = startCallers(kinds, CALLERS);
    const begun = Date.now();
    const watch = setInterval(() => requestHeapReports(system), SAMPLE_MS);
    const progress = setInterval(() => log(`  ${traffic.shots.length} requests`), 60_000);
    await waitFor('all requests are answered', () => traffic.shots.length >= wanted, A_DAY_MS).finally(() => {
      clearInterval(watch);
      clearInterval(progress);
    });
    const shots = await traffic.stop();
    const rate = Math.round(shots.length / ((Date.now() - begun) / 1_000));
    // At full speed a service may refuse requests with 503.
    const failed = shots.filter((shot) => !isSuccess(shot) && shot.status !== 503).length;
    const growth = memoryGrowth(system);
    // Native memory varies with the arenas of the allocator, so it is printed and not judged.
    const grown = growth.filter(
      ({ name, early, late }) => name.endsWith('needed') && !(late <= early * (short ? GROWTH_SHORT : GROWTH)),
    );
    const each = growth.map(({ name, early, late }) => `${name} ${early.toFixed(0)} → ${late.toFixed(0)} MiB`);
    const line = `${shots.length} requests, ${rate}/s, ${failed} failed (${failureSummary(shots)}); ${each.join(', ')}`;
    return { ok: grown.length === 0 && failed === 0, line };
  },
};
