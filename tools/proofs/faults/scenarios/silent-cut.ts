import { randomUUID } from 'node:crypto';
import { grantHours, msUntilShown } from '../poison-events.ts';
import { pause } from '../../system/poll.ts';
import { type ScenarioOptions, limitFor, type ScenarioResult, type Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import {
  waitForSuccesses,
  isSuccess,
  type RequestKinds,
  createRequestKinds,
  lastFailure,
  seconds,
  slowest,
  startCallers,
  startTraffic,
  failureSummary,
} from '../traffic.ts';

const RATE = 40;
const SHORT_RATE = 15;
const CALLERS = 36;
/** The limit in ms until requests succeed and events flow again. */
const BACK_MS = 5_000;
const QUICK_MS = 1_000;
const TIMEOUT_MS = 15_000;

/** Opens every connection that a service may have. */
const warmUp = async (kinds: RequestKinds): Promise<void> => {
  const callers = startCallers(kinds, CALLERS);
  await pause(1_500);
  await callers.stop();
};

const tryGrant = (system: System, org: string, student: string): Promise<boolean> =>
  grantHours(system, org, student).then(
    () => true,
    () => false,
  );

/** Silences every connection of a service to its database, like a firewall that drops packets without notice. */
const cutOnce = async (
  system: System,
  kinds: RequestKinds,
  service: string,
  round: number,
  context: ScenarioOptions,
): Promise<ScenarioResult> => {
  const patience = limitFor(context, TIMEOUT_MS);
  const org = randomUUID();
  const isBefore = await tryGrant(system, org, 'before');
  if (!isBefore || (await msUntilShown(system, org, 'before', '2.00', patience)) === undefined)
    return { ok: false, line: `${service}, time ${round}: events do not flow even before the fault` };
  await warmUp(kinds);
  const traffic = startTraffic(kinds, context.short ? SHORT_RATE : RATE);
  await pause(500);
  for (const one of system.instancesOf(service)) one.toPostgres?.silence();
  const since = Date.now();
  // The write succeeds as soon as the service has recovered. Then its event must arrive.
  const isGranted = await tryGrant(system, org, 'after');
  const isShown = isGranted && (await msUntilShown(system, org, 'after', '2.00', patience)) !== undefined;
  const flows = Date.now() - since;
  const isCalm = context.short ? await waitForSuccesses(traffic, since, patience) : true;
  const back = context.short ? Date.now() : since + BACK_MS;
  if (!context.short) await pause(Math.max(0, back + 2_000 - Date.now()));
  const shots = await traffic.stop();
  const after = shots.filter(({ at }) => at >= since);
  const late = shots.filter(({ at }) => at >= back);
  const bad = context.short ? [] : late.filter((shot) => !isSuccess(shot) || shot.ms > QUICK_MS);
  const wrong = after.filter(({ status }) => status === 500 || status === 0);
  const failed = after.filter((shot) => !isSuccess(shot));
  const events = isShown ? seconds(flows) : `more than ${seconds(flows)}`;
  const line = `${service}, time ${round}: ${failed.length} of ${after.length} failed (${failureSummary(after)}), the last ${seconds(lastFailure(after, since))} after; later than ${seconds(back - since)} ${bad.length} of ${late.length} failed or slow, slowest ${slowest(late)} ms; events after ${events}`;
  return {
    ok: isCalm && bad.length === 0 && wrong.length === 0 && isShown && flows <= limitFor(context, BACK_MS),
    line,
  };
};

/** Restarts a service that did not recover, so that it does not spoil the next step. */
const restartService = async (system: System, service: string): Promise<void> => {
  await Promise.all(system.instancesOf(service).map((one) => one.kill()));
  await system.heal();
};

const silent = async (system: System, context: ScenarioOptions): Promise<ScenarioResult> => {
  const found: ScenarioResult[] = [];
  const kinds = await createRequestKinds(system.api, randomUUID());
  for (const service of ['clazz', 'stats']) {
    for (const round of context.short ? [1] : [1, 2]) {
      const one = await cutOnce(system, kinds, service, round, context);
      found.push(one);
      if (!one.ok) break;
    }
    if (found.at(-1)?.ok === false) await restartService(system, service);
  }
  return { ok: found.every(({ ok }) => ok), line: found.map(({ line }) => line).join('; ') };
};

export const silentCut: Scenario = {
  name: 'silent-cut',
  about: 'twice, all connections of a service to Postgres go silent while new ones work: it recovers within 5 s',
  run: silent,
};
