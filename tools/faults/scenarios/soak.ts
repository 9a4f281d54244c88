import { randomUUID } from 'node:crypto';
import { least, sample, type Samples } from '../memory.ts';
import { must } from '../poll.ts';
import type { Outcome, Scenario } from '../scenario.ts';
import { isWell, type Kinds, kindsOf, startCallers, troubles } from '../traffic.ts';

const REQUESTS = 1_000_000;
const SHORT = 30_000;
const CALLERS = 24;
const ORGS = 8;
const SAMPLE_MS = 500;
const GROWTH = 1.1;
/** Nothing is warm so soon. */
const GROWTH_SHORT = 2;
const A_DAY_MS = 86_400_000;

/** What is needed in the second tenth, when everything is warm, and in the last. */
const growthOf = (samples: Samples) =>
  [...samples].map(([name, all]) => {
    const tenth = Math.max(1, Math.floor(all.length / 10));
    return { name, early: least(all.slice(tenth, 2 * tenth)), late: least(all.slice(-tenth)) };
  });

export const soak: Scenario = {
  name: 'soak',
  about: `${REQUESTS.toLocaleString('en')} requests at full speed: the memory of every process is flat after the first tenth`,
  on: { direct: true },
  story: async (system, { short, say }): Promise<Outcome> => {
    const wanted = short ? SHORT : REQUESTS;
    const mixes = await Promise.all(Array.from({ length: ORGS }, () => kindsOf(system.api, randomUUID())));
    const kinds: Kinds = Object.fromEntries(
      mixes.flatMap((mix, n) => Object.entries(mix).map(([name, ask]) => [`${name} ${n}`, ask])),
    );
    const traffic = startCallers(kinds, CALLERS);
    const begun = Date.now();
    const samples: Samples = new Map();
    const watch = setInterval(() => sample(system, samples), SAMPLE_MS);
    const told = setInterval(() => say(`  ${traffic.shots.length} requests`), 60_000);
    await must('all requests are answered', () => traffic.shots.length >= wanted, A_DAY_MS).finally(() => {
      clearInterval(watch);
      clearInterval(told);
    });
    const shots = await traffic.stop();
    const rate = Math.round(shots.length / ((Date.now() - begun) / 1_000));
    const failed = shots.filter((shot) => !isWell(shot)).length;
    const growth = growthOf(samples);
    const grown = growth.filter(({ early, late }) => !(late <= early * (short ? GROWTH_SHORT : GROWTH)));
    const each = growth.map(({ name, early, late }) => `${name} ${early.toFixed(0)} → ${late.toFixed(0)} MiB`);
    const line = `${shots.length} requests, ${rate}/s, ${failed} failed (${troubles(shots)}); ${each.join(', ')}`;
    return { ok: grown.length === 0 && failed === 0 && growth.length === system.instances.length, line };
  },
};
