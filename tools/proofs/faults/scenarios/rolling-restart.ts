import { randomUUID } from 'node:crypto';
import { startBalancer } from '../balancer.ts';
import { hasJoinedWithin, reasonNotJoined } from '../../system/instance-health.ts';
import { holdsWithin, pause } from '../../system/poll.ts';
import { type ScenarioOptions, limitFor, type ScenarioResult, type Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import {
  isSuccess,
  type RequestKinds,
  createRequestKinds,
  percentile,
  seconds,
  type RequestResult,
  slowest,
  startTraffic,
  runTraffic,
  failureSummary,
} from '../traffic.ts';
import type { ProxiedInstance } from '../../system/proxied-instances.ts';

const RATE = 200;
const REQUESTS = 10_000;
/** A short scenario runs beside other tests. */
const SHORT_RATE = 50;
const REST_MS = 1_000;
const WARM_MS = 2_000;
const QUICK_MS = 200;
const STOP_TIMEOUT_MS = 15_000;
const JOIN_TIMEOUT_MS = 20_000;
/** How long reads may fail when one of two instances is killed. */
const FAILING_READS_MS = 2_000;

const TWO_OF_EACH = {
  instances: { clazz: 2, course: 2, package: 2, stats: 2, gateway: 2 },
  env: { DRAIN_MS: '1000', DATABASE_LANES: '3' },
};
/** The default timeout. On a busy machine a starting process delays others, and requests may wait for it. */
const DEFAULT_TIMEOUT = { CALL_TIMEOUT_MS: '10000' };

/** Sends half of the rate until answers are fast, because code is slow when it runs for the first time. */
const warmUp = async (kinds: RequestKinds, rate: number): Promise<void> => {
  const isWarm = async (): Promise<boolean> => {
    const shots = await runTraffic(kinds, rate / 2, WARM_MS);
    return shots.every(isSuccess) && percentile(shots, 99) < QUICK_MS;
  };
  await holdsWithin(isWarm, WARM_MS * 10);
};

/** Runs `act` on each instance in turn under requests, then runs `others`. Returns the results and the times. */
const runOnEach = async (
  system: System,
  context: ScenarioOptions,
  act: (one: ProxiedInstance) => Promise<void>,
  others: readonly (() => Promise<void>)[] = [],
) => {
  const { short } = context;
  const joins = limitFor(context, JOIN_TIMEOUT_MS);
  const balancer = await startBalancer(system);
  for (const one of system.instances) await hasJoinedWithin(one, joins);
  const kinds = await createRequestKinds(balancer.api, randomUUID());
  const [rate, wanted] = short ? [SHORT_RATE, 0] : [RATE, REQUESTS];
  await warmUp(kinds, rate);
  const traffic = startTraffic(kinds, rate);
  const times: { one: ProxiedInstance; at: number }[] = [];
  let notJoined: string | undefined;
  await pause(REST_MS);
  for (let n = 0; n < system.instances.length || traffic.shots.length < wanted; n += 1) {
    const one = system.instances[n % system.instances.length];
    if (one === undefined) break;
    times.push({ one, at: Date.now() });
    await act(one);
    one.start();
    notJoined = await reasonNotJoined(one, joins);
    if (notJoined !== undefined) break;
    await pause(REST_MS);
  }
  const afterwards = Date.now();
  for (const other of others) {
    await other();
    await pause(REST_MS * 2);
  }
  const shots = await traffic.stop();
  await balancer.stop();
  return { shots, times, afterwards, notJoined };
};

export const rolling: Scenario = {
  name: 'rolling',
  about: `two of each: every process is stopped and started in turn under ${RATE} requests a second; no request fails`,
  system: { ...TWO_OF_EACH, env: { ...TWO_OF_EACH.env, ...DEFAULT_TIMEOUT } },
  run: async (system, context): Promise<ScenarioResult> => {
    const stuck: string[] = [];
    const codes = new Set<string>();
    const { shots, times, notJoined } = await runOnEach(system, context, async (one) => {
      const exit = await one.stop(STOP_TIMEOUT_MS);
      if (exit === undefined) {
        stuck.push(one.name);
        await one.kill();
      } else codes.add(String(exit.code ?? exit.signal));
    });
    const failed = shots.filter((shot) => !isSuccess(shot));
    const instanceOf = (shot: RequestResult): string =>
      times.findLast(({ at }) => at <= shot.at + shot.ms)?.one.name ?? 'no instance';
    const by = [...Map.groupBy(failed, instanceOf)].map(([name, all]) => `${name} ${all.length}`);
    const where = by.length === 0 ? '' : `, while these were restarted: ${by.join(', ')}`;
    const ends = stuck.length === 0 ? '' : `; did not end within ${seconds(STOP_TIMEOUT_MS)}: ${stuck.join(' ')}`;
    const line = `${times.length} restarts, ${failed.length} of ${shots.length} failed (${failureSummary(shots)})${where}; slowest ${slowest(shots)} ms; exit codes ${[...codes].join(' ')}${ends}${notJoined === undefined ? '' : `; ${notJoined}`}`;
    const isAll = times.length >= system.instances.length && stuck.length === 0 && notJoined === undefined;
    return { ok: failed.length === 0 && isAll && [...codes].every((code) => code === '0'), line };
  },
};

/** The longest time in ms after a kill in which reads failed. Requests that ran during a kill are not counted. */
const worstReads = (shots: readonly RequestResult[], times: readonly { at: number }[]): number =>
  shots
    .filter((shot) => shot.kind.startsWith('read') && !isSuccess(shot))
    .filter((shot) => !times.some(({ at }) => at >= shot.at && at <= shot.at + shot.ms))
    .reduce((worst, shot) => {
      const since = times.findLast(({ at }) => at <= shot.at)?.at ?? shot.at;
      return Math.max(worst, shot.at - since);
    }, 0);

export const killUnderLoad: Scenario = {
  name: 'kill-under-load',
  about: `two of each: every process, then broker and Postgres are killed and started under ${RATE} requests a second; no answer is 500`,
  system: TWO_OF_EACH,
  run: async (system, context): Promise<ScenarioResult> => {
    const kill = async (one: ProxiedInstance): Promise<void> => {
      await one.kill();
      await pause(REST_MS);
    };
    const servers = [system.nats, system.postgres].map((server) => async () => {
      await server.kill();
      await server.start();
    });
    const { shots, times, afterwards, notJoined } = await runOnEach(system, context, kill, servers);
    const wrong = shots.filter(({ status }) => status !== 0 && status !== 503 && status !== 504 && status >= 300);
    const worst = worstReads(
      shots.filter((shot) => shot.at + shot.ms < afterwards),
      times,
    );
    const line = `${times.length} kills, then broker and Postgres; of ${shots.length}: ${failureSummary(shots)}; ${wrong.length} neither 503 nor 504 (${failureSummary(wrong)}); reads failed until ${seconds(worst)} after a kill${notJoined === undefined ? '' : `; ${notJoined}`}`;
    const isAll = times.length >= system.instances.length && notJoined === undefined;
    return { ok: wrong.length === 0 && worst <= limitFor(context, FAILING_READS_MS) && isAll, line };
  },
};
