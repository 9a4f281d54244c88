import { randomUUID } from 'node:crypto';
import { makeBigSchool } from '../big-school.ts';
import { health } from '../../system/instance-health.ts';
import { waitFor, pause, poll } from '../../system/poll.ts';
import type { Context, Outcome, Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import {
  isSuccess,
  type Kinds,
  percentile,
  seconds,
  type Shot,
  slowest,
  startCallers,
  startTraffic,
  failureSummary,
} from '../traffic.ts';

const ORGS = 6;
const MEASURE_MS = 5_000;
const FLOOD_MS = 10_000;
const FLOOD_RATE = 1_200;
const DEADLINE_MS = 3_000;
const SLACK_MS = 1_000;
const QUIET_MS = 1_000;
const PROBE_MS = 250;
const CALLBACK_ERROR = /uncaught|unhandled|callback|could not be answered|bus error/i;

/** A read that costs its service some milliseconds, from several orgs: the service is the narrow place. */
const costly = async ({ api }: System): Promise<Kinds> => {
  const orgs = Array.from({ length: ORGS }, () => randomUUID());
  const paths = await Promise.all(orgs.map(async (org) => (await makeBigSchool(api, org)).figures(60)));
  return Object.fromEntries(
    orgs.map((org, n) => [`read ${n}`, () => api({ path: paths[n] ?? '', org, patience: DEADLINE_MS * 3 })]),
  );
};

/** Answers a second, at most `within` late. */
const goodput = (shots: readonly Shot[], within: number, ms: number): number =>
  shots.filter((shot) => isSuccess(shot) && shot.ms <= within).length / (ms / 1_000);

/** What it can do: as many callers as keep it busy, and no more. */
const measurePeak = async (kinds: Kinds): Promise<number> => {
  const callers = startCallers(kinds, 16);
  await pause(MEASURE_MS);
  return goodput(await callers.stop(), DEADLINE_MS, MEASURE_MS);
};

/** Asked for twice of what it can do, it does nearly as much as it can, and refuses the rest at once. */
const twice = async (kinds: Kinds): Promise<Outcome> => {
  const peak = await measurePeak(kinds);
  const traffic = startTraffic(kinds, peak * 2);
  await pause(MEASURE_MS * 2);
  const shots = await traffic.stop();
  const good = goodput(shots, DEADLINE_MS, MEASURE_MS * 2);
  const refused = shots.filter(({ status }) => status === 503);
  const other = shots.filter((shot) => !isSuccess(shot) && shot.status !== 503);
  const late = refused.filter(({ ms }) => ms > DEADLINE_MS + SLACK_MS);
  const rate = (n: number): string => n.toFixed(0);
  const line = `peak ${rate(peak)}/s; asked for twice of it ${rate(good)}/s (${rate((good / peak) * 100)} %), p50 of these ${rate(percentile(shots.filter(isSuccess), 50))} ms, ${refused.length} refused (slowest ${slowest(refused)} ms), others: ${failureSummary(other)}`;
  return { ok: good >= peak * 0.8 && other.length === 0 && late.length === 0, line };
};

/** Far more than it can do, its health asked meanwhile; when that is over, it must be there at once. */
const flood = async (system: System, kinds: Kinds): Promise<Outcome> => {
  const [service] = system.of('stats');
  const [gateway] = system.of('gateway');
  const [ask] = Object.values(kinds);
  if (service === undefined || gateway === undefined || ask === undefined) throw new Error('a service is needed');
  const begun = service.log().length;
  const traffic = startTraffic(kinds, FLOOD_RATE);
  const end = Date.now() + FLOOD_MS;
  while (Date.now() < end) {
    await Promise.all([health(gateway, 'ready'), health(service, 'live'), health(service, 'ready')]);
    await pause(PROBE_MS);
  }
  // What was begun is answered or given up; then there is no load any more.
  const shots = await traffic.stop();
  const since = Date.now();
  const isAnswered = async (): Promise<true | undefined> => {
    const [status, one] = await Promise.all([health(gateway, 'ready'), ask(0)]);
    return (status === 200 && one.status === 200) || undefined;
  };
  const isBack = await poll(isAnswered, 40_000, 20);
  const ms = Date.now() - since;
  const errors = service
    .log()
    .slice(begun)
    .split('\n')
    .filter((line) => CALLBACK_ERROR.test(line))
    .map((line) => line.trim());
  const first = errors[0] === undefined ? '' : ` (${/"msg":"([^"]*)"/.exec(errors[0])?.[1] ?? errors[0].slice(0, 80)})`;
  const line = `flood of ${shots.length}: ${shots.filter(isSuccess).length} done, ${failureSummary(shots)}; answers again ${isBack === true ? seconds(ms) : 'not'} after its end; ${errors.length} errors of a callback in its log${first}`;
  return { ok: isBack === true && ms <= QUIET_MS && errors.length === 0, line };
};

const overloaded = async (system: System, { short }: Context): Promise<Outcome> => {
  const kinds = await costly(system);
  const first = await flood(system, kinds);
  await waitFor('the service is well', async () => (await Object.values(kinds)[0]?.(0))?.status === 200, 60_000);
  await pause(2_000);
  const second = short ? { ok: true, line: '' } : await twice(kinds);
  return { ok: first.ok && second.ok, line: [first.line, second.line].filter(Boolean).join('; ') };
};

export const overload: Scenario = {
  name: 'overload',
  about: 'far more is asked of a service than it can do, its health as well; then twice of what it can do',
  on: { direct: true },
  story: overloaded,
};
