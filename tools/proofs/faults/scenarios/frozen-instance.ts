import { randomUUID } from 'node:crypto';
import { health, joined } from '../../system/instance-health.ts';
import { pause } from '../../system/poll.ts';
import { type Context, limitFor, type Outcome, type Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import {
  waitForSuccesses,
  isSuccess,
  kindsOf,
  lastFailure,
  only,
  seconds,
  slowest,
  startTraffic,
  failureSummary,
} from '../traffic.ts';
import type { ProxiedInstance } from '../../system/proxied-instances.ts';

const RATE = 50;
const SHORT_RATE = 25;
const FROZEN_MS = 8_000;
/** By then nobody asks it any more. */
const NOTICED_MS = 2_000;
/** What still counts as an answer of somebody who was not asked in vain before. */
const QUICK_MS = 1_000;

/** Freezes one of two under requests; the other one must do for both. */
const whileFrozen = async (system: System, one: ProxiedInstance, context: Context): Promise<Outcome> => {
  const kinds = only(await kindsOf(system.api, randomUUID()), one.service);
  const { short } = context;
  const traffic = startTraffic(kinds, short ? SHORT_RATE : RATE);
  await pause(1_000);
  const since = Date.now();
  one.freeze();
  const isCalm = short ? await waitForSuccesses(traffic, since, limitFor(context, NOTICED_MS)) : true;
  const noticed = short ? Date.now() : since + NOTICED_MS;
  if (!short) await pause(FROZEN_MS);
  const live = await health(one, 'live');
  const until = Date.now();
  one.thaw();
  if (!short) await pause(2_000);
  const shots = await traffic.stop();
  const during = shots.filter(({ at }) => at >= since && at < until);
  const late = shots.filter(({ at }) => at >= noticed);
  const bad = short ? [] : late.filter((shot) => !isSuccess(shot) || shot.ms > QUICK_MS);
  const failed = during.filter((shot) => !isSuccess(shot)).length;
  const last = failed === 0 ? '' : `, the last ${seconds(lastFailure(during, since))} after the freeze`;
  const line = `${one.name} frozen: ${failed} of ${during.length} failed (${failureSummary(during)}${last}); later than ${seconds(noticed - since)}: ${bad.length} of ${late.length} failed or slow, slowest ${slowest(late)} ms`;
  return { ok: isCalm && bad.length === 0 && live === 0, line };
};

/** One after the other: that the first takes part again shows when the second stands still. */
export const frozenInstance: Scenario = {
  name: 'frozen-instance',
  about: 'one of two instances stands still under 50 requests a second; of clazz and of stats, each in turn',
  on: { instances: { clazz: 2, stats: 2 } },
  story: async (system, context) => {
    const lines: string[] = [];
    let ok = true;
    const all = [...system.of('clazz'), ...(context.short ? [] : system.of('stats'))];
    for (const one of all) ok = (await joined(one, limitFor(context, 10_000))) && ok;
    for (const one of all) {
      const found = await whileFrozen(system, one, context);
      lines.push(found.line);
      ok &&= found.ok;
    }
    return { ok, line: lines.join('; ') };
  },
};
