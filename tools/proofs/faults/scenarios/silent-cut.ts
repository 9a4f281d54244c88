import { randomUUID } from 'node:crypto';
import { grant, msUntilShown } from '../poison-events.ts';
import { pause } from '../../system/poll.ts';
import { type Context, limitFor, type Outcome, type Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import {
  waitForSuccesses,
  isSuccess,
  type Kinds,
  kindsOf,
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
/** By then requests are answered and events flow. */
const BACK_MS = 5_000;
const QUICK_MS = 1_000;
const PATIENCE_MS = 15_000;

/** Every connection that a service may have is open. */
const warmUp = async (kinds: Kinds): Promise<void> => {
  const callers = startCallers(kinds, CALLERS);
  await pause(1_500);
  await callers.stop();
};

const given = (system: System, org: string, student: string): Promise<boolean> =>
  grant(system, org, student).then(
    () => true,
    () => false,
  );

/** A firewall forgets every connection of one service to its database: packets vanish, nobody is told. */
const cutOnce = async (
  system: System,
  kinds: Kinds,
  service: string,
  round: number,
  context: Context,
): Promise<Outcome> => {
  const patience = limitFor(context, PATIENCE_MS);
  const org = randomUUID();
  const isBefore = await given(system, org, 'before');
  if (!isBefore || (await msUntilShown(system, org, 'before', '2.00', patience)) === undefined)
    return { ok: false, line: `${service}, time ${round}: events do not flow even before` };
  await warmUp(kinds);
  const traffic = startTraffic(kinds, context.short ? SHORT_RATE : RATE);
  await pause(500);
  for (const one of system.of(service)) one.toPostgres?.silence();
  const since = Date.now();
  // The write gets through as soon as the service is back; then its event has to flow.
  const isGranted = await given(system, org, 'after');
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

/** What does not come back by itself is not to spoil what is tried next. */
const renew = async (system: System, service: string): Promise<void> => {
  await Promise.all(system.of(service).map((one) => one.kill()));
  await system.heal();
};

const silent = async (system: System, context: Context): Promise<Outcome> => {
  const found: Outcome[] = [];
  const kinds = await kindsOf(system.api, randomUUID());
  for (const service of ['clazz', 'stats']) {
    for (const round of context.short ? [1] : [1, 2]) {
      const one = await cutOnce(system, kinds, service, round, context);
      found.push(one);
      if (!one.ok) break;
    }
    if (found.at(-1)?.ok === false) await renew(system, service);
  }
  return { ok: found.every(({ ok }) => ok), line: found.map(({ line }) => line).join('; ') };
};

export const silentCut: Scenario = {
  name: 'silent-cut',
  about: 'all connections of a service to Postgres go silent while new ones work; and again',
  story: silent,
};
