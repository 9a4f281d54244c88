import { randomUUID } from 'node:crypto';
import { healthStatus, hasJoinedWithin } from '../../system/instance-health.ts';
import { pause } from '../../system/poll.ts';
import { type ScenarioOptions, limitFor, type ScenarioResult, type Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import {
  waitForSuccesses,
  isSuccess,
  createRequestKinds,
  lastFailure,
  kindsMatching,
  seconds,
  slowest,
  startTraffic,
  failureSummary,
} from '../traffic.ts';
import type { ProxiedInstance } from '../../system/proxied-instances.ts';

const RATE = 50;
const SHORT_RATE = 25;
const FROZEN_MS = 8_000;
/** After this time no request is sent to the frozen instance. */
const NOTICED_MS = 2_000;
/** The longest answer that cannot contain a failed attempt at the frozen instance. */
const QUICK_MS = 1_000;

/** Freezes one of two instances under requests. The other instance must answer all of them. */
const whileFrozen = async (system: System, one: ProxiedInstance, context: ScenarioOptions): Promise<ScenarioResult> => {
  const kinds = kindsMatching(await createRequestKinds(system.api, randomUUID()), one.service);
  const { short } = context;
  const traffic = startTraffic(kinds, short ? SHORT_RATE : RATE);
  await pause(1_000);
  const since = Date.now();
  one.freeze();
  const isCalm = short ? await waitForSuccesses(traffic, since, limitFor(context, NOTICED_MS)) : true;
  const noticed = short ? Date.now() : since + NOTICED_MS;
  if (!short) await pause(FROZEN_MS);
  const live = await healthStatus(one, 'live');
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

/** Freezes one instance after the other. The second freeze shows that the first instance takes part again. */
export const frozenInstance: Scenario = {
  name: 'frozen-instance',
  about: 'one of two instances is frozen under 50 requests a second; of clazz, then of stats',
  system: { instances: { clazz: 2, stats: 2 } },
  run: async (system, context) => {
    const lines: string[] = [];
    let ok = true;
    const all = [...system.instancesOf('clazz'), ...(context.short ? [] : system.instancesOf('stats'))];
    for (const one of all) ok = (await hasJoinedWithin(one, limitFor(context, 10_000))) && ok;
    for (const one of all) {
      const result = await whileFrozen(system, one, context);
      lines.push(result.line);
      ok &&= result.ok;
    }
    return { ok, line: lines.join('; ') };
  },
};
