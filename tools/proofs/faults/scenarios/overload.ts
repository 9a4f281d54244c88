import { randomUUID } from 'node:crypto';
import { makeBigSchool } from '../big-school.ts';
import { healthStatus } from '../../system/instance-health.ts';
import { waitFor, pause, poll } from '../../system/poll.ts';
import type { ScenarioOptions, ScenarioResult, Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import {
  isSuccess,
  type RequestKinds,
  percentile,
  seconds,
  type RequestResult,
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
const RECOVERY_MS = 1_000;
const PROBE_MS = 250;
const CALLBACK_ERROR = /uncaught|unhandled|callback|could not be answered|bus error/i;

/** Reads of several organizations that cost the service some milliseconds each, so the service is the bottleneck. */
const costlyReads = async ({ api }: System): Promise<RequestKinds> => {
  const orgs = Array.from({ length: ORGS }, () => randomUUID());
  const paths = await Promise.all(orgs.map(async (org) => (await makeBigSchool(api, org)).figures(60)));
  return Object.fromEntries(
    orgs.map((org, n) => [`read ${n}`, () => api({ path: paths[n] ?? '', org, timeout: DEADLINE_MS * 3 })]),
  );
};

/** Successful answers a second that took at most `within` ms. */
const goodput = (shots: readonly RequestResult[], within: number, ms: number): number =>
  shots.filter((shot) => isSuccess(shot) && shot.ms <= within).length / (ms / 1_000);

/** The highest goodput, measured with just enough callers to keep the service busy. */
const measurePeak = async (kinds: RequestKinds): Promise<number> => {
  const callers = startCallers(kinds, 16);
  await pause(MEASURE_MS);
  return goodput(await callers.stop(), DEADLINE_MS, MEASURE_MS);
};

/** Sends twice the peak rate. The service must keep at least 80 % of its goodput and refuse the rest in time. */
const sendTwicePeak = async (kinds: RequestKinds): Promise<ScenarioResult> => {
  const peak = await measurePeak(kinds);
  const traffic = startTraffic(kinds, peak * 2);
  await pause(MEASURE_MS * 2);
  const shots = await traffic.stop();
  const good = goodput(shots, DEADLINE_MS, MEASURE_MS * 2);
  const refused = shots.filter(({ status }) => status === 503);
  const other = shots.filter((shot) => !isSuccess(shot) && shot.status !== 503);
  const late = refused.filter(({ ms }) => ms > DEADLINE_MS + SLACK_MS);
  const rate = (n: number): string => n.toFixed(0);
  const line = `peak ${rate(peak)}/s; at twice that rate ${rate(good)}/s (${rate((good / peak) * 100)} %), p50 of these ${rate(percentile(shots.filter(isSuccess), 50))} ms, ${refused.length} refused (slowest ${slowest(refused)} ms), others: ${failureSummary(other)}`;
  return { ok: good >= peak * 0.8 && other.length === 0 && late.length === 0, line };
};

/** Sends far more than the service can answer and probes its health. After the flood it must answer within 1 s. */
const flood = async (system: System, kinds: RequestKinds): Promise<ScenarioResult> => {
  const [service] = system.instancesOf('stats');
  const [gateway] = system.instancesOf('gateway');
  const [ask] = Object.values(kinds);
  if (service === undefined || gateway === undefined || ask === undefined)
    throw new Error('the scenario needs a service, a gateway and a request');
  const begun = service.log().length;
  const traffic = startTraffic(kinds, FLOOD_RATE);
  const end = Date.now() + FLOOD_MS;
  while (Date.now() < end) {
    await Promise.all([healthStatus(gateway, 'ready'), healthStatus(service, 'live'), healthStatus(service, 'ready')]);
    await pause(PROBE_MS);
  }
  // All started requests are answered or aborted; after that there is no load.
  const shots = await traffic.stop();
  const since = Date.now();
  const isAnswered = async (): Promise<true | undefined> => {
    const [status, answer] = await Promise.all([healthStatus(gateway, 'ready'), ask(0)]);
    return (status === 200 && answer.status === 200) || undefined;
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
  const line = `flood of ${shots.length}: ${shots.filter(isSuccess).length} done, ${failureSummary(shots)}; answers again ${isBack === true ? `${seconds(ms)} after its end` : 'never'}; ${errors.length} callback errors in its log${first}`;
  return { ok: isBack === true && ms <= RECOVERY_MS && errors.length === 0, line };
};

const runOverload = async (system: System, { short }: ScenarioOptions): Promise<ScenarioResult> => {
  const kinds = await costlyReads(system);
  const first = await flood(system, kinds);
  await waitFor('the service is healthy', async () => (await Object.values(kinds)[0]?.(0))?.status === 200, 60_000);
  await pause(2_000);
  const second = short ? { ok: true, line: '' } : await sendTwicePeak(kinds);
  return { ok: first.ok && second.ok, line: [first.line, second.line].filter(Boolean).join('; ') };
};

export const overload: Scenario = {
  name: 'overload',
  about:
    'a service gets far more requests than it can answer, then twice its peak: it keeps 80 % and recovers within 1 s',
  system: { direct: true },
  run: runOverload,
};
