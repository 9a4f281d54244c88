import { behindProxy, CLUSTER, RATE } from '../cluster.ts';
import { createLoad } from '../load.ts';
import { brokerParts, type SystemPart, partsOf } from '../system-parts.ts';
import { pause } from '../../system/poll.ts';
import { limitFor, type Scenario, checkAtEnd } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import { isSuccess, seconds, type RequestResult, startTraffic, failureSummary } from '../traffic.ts';

/** How long a part is lost: longer than the other parts need to notice it. */
const AWAY_MS = { kill: 3_000, freeze: 7_000 };
const REST_MS = 1_500;
/** The limit for the total time in which requests fail after a loss. */
const MAX_FAILING_MS = 5_000;
/** Failing time is counted in slots of this length. */
const SLOT_MS = 100;
const SETTLE_TIMEOUT_MS = 60_000;
/** A slower answer counts as a failure. */
const LATE_MS = 5_000;

/** A lost part, the time of the loss in epoch ms, and the reason why it did not return, if any. */
interface Loss {
  name: string;
  at: number;
  away: string | undefined;
}

type Way = keyof typeof AWAY_MS;

/**
 * Every broker twice, and of every service one instance to kill and another to freeze. A short scenario takes one each.
 */
const victimsOf = (system: System, short: boolean): [Way, SystemPart][] => {
  // Clients that lose their broker move to another and stay there, so each broker has clients when it is lost.
  const brokers = [...brokerParts(system), ...(short ? [] : brokerParts(system))].map((one, n): [Way, SystemPart] => [
    n % 2 === 0 ? 'freeze' : 'kill',
    one,
  ]);
  const others = ['clazz', 'course', 'package', 'stats', 'gateway'].flatMap((service, index): [Way, SystemPart][] => {
    const [first, second = first] = partsOf(system, service);
    if (first === undefined || second === undefined) return [];
    const both: [Way, SystemPart][] = [
      ['kill', first],
      ['freeze', second],
    ];
    return short ? both.slice(index % 2, 1 + (index % 2)) : both;
  });
  return [...brokers, ...others];
};

const lose = async (way: Way, part: SystemPart): Promise<Loss> => {
  const at = Date.now();
  await part[way]();
  await pause(AWAY_MS[way]);
  if (way === 'kill') await part.start();
  else part.thaw();
  const away = await part.reasonNotJoined();
  await pause(REST_MS);
  return { name: `${way} ${part.name}`, at, away };
};

const hasFailed = (shot: RequestResult): boolean => !isSuccess(shot) || shot.ms > LATE_MS;

const slotsOf = (shots: readonly RequestResult[], when: (shot: RequestResult) => number): number =>
  SLOT_MS * new Set(shots.map((shot) => Math.floor(when(shot) / SLOT_MS))).size;

/** The loss that made a request fail: the first during the request, or else the last before it. */
const causeOf = ({ at, ms }: RequestResult, losses: readonly Loss[]): Loss | undefined =>
  losses.find((loss) => loss.at >= at && loss.at <= at + ms) ?? losses.findLast((loss) => loss.at <= at);

const reportLoss = (
  { name, away }: Loss,
  failed: readonly RequestResult[],
  limit: number,
): { line: string; ok: boolean } => {
  const begun = slotsOf(failed, ({ at }) => at);
  const ended = slotsOf(failed, ({ at, ms }) => at + ms);
  const odd = failed.filter((shot) => !isSuccess(shot) && shot.status !== 503 && shot.status !== 504);
  const late = failed.filter(isSuccess).length;
  const longest = failed.reduce((most, { ms }) => Math.max(most, ms), 0);
  const times = `failed requests began within ${seconds(begun)} and ended within ${seconds(ended)}, the longest took ${seconds(longest)}`;
  return {
    line: `${name}: ${failureSummary(failed)}${odd.map(({ kind }) => `, ${kind}`).join('')}${late === 0 ? '' : `, ${late} late`}; ${times}${away === undefined ? '' : `; ${away}`}`,
    ok: away === undefined && begun < limit && ended < limit && odd.length === 0,
  };
};

export const loseAny: Scenario = {
  name: 'lose-any',
  about: `a cluster: every broker, and one of two instances of every service, is killed and frozen under up to ${RATE} requests a second; nothing is lost or duplicated`,
  system: CLUSTER,
  run: (system, context) =>
    behindProxy(system, context, async ({ rate, api, kinds, proxyLog, outcomes }) => {
      const load = await createLoad({ ...system, api }, { seed: context.seed, writers: 1, restMs: 100 });
      const traffic = startTraffic(kinds, rate);
      load.start();
      await pause(REST_MS);
      const losses: Loss[] = [];
      for (const [way, part] of victimsOf(system, context.short)) losses.push(await lose(way, part));
      const shots = await traffic.stop();
      await load.stop();
      const failed = Map.groupBy(shots.filter(hasFailed), (shot) => causeOf(shot, losses));
      const found = losses.map((loss) => reportLoss(loss, failed.get(loss) ?? [], limitFor(context, MAX_FAILING_MS)));
      for (const { line } of found) context.log(`  ${line}`);
      if (found.some(({ ok }) => !ok)) context.log(`  the proxy logged ${proxyLog()}`);
      const verdict = await checkAtEnd(system, load, SETTLE_TIMEOUT_MS);
      const untrue = await outcomes.contradictions(system);
      const wrong = [...found.filter(({ ok }) => !ok).map(({ line }) => line), ...untrue.slice(0, 3)];
      return {
        ok: verdict.ok && wrong.length === 0,
        line: `${losses.length} losses, of ${shots.length}: ${failureSummary(shots)}; ${wrong.length === 0 ? 'no failing time above the limit' : wrong.join('; ')}; ${verdict.line}`,
      };
    }),
};
