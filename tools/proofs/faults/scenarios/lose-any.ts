import { behindProxy, CLUSTER, RATE } from '../cluster.ts';
import { createLoad } from '../load.ts';
import { brokerParts, type Part, partsOf } from '../system-parts.ts';
import { pause } from '../../system/poll.ts';
import { limitFor, type Scenario, checkAtEnd } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import { isSuccess, seconds, type Shot, startTraffic, failureSummary } from '../traffic.ts';

/** Longer than anybody needs to notice. */
const AWAY_MS = { kill: 3_000, freeze: 7_000 };
const REST_MS = 1_500;
/** For how long together requests may fail when something is lost. */
const MOST_MS = 5_000;
/** Time is counted by the slot. */
const SLOT_MS = 100;
const SETTLES_MS = 60_000;
/** Who waits longer has no answer either. */
const LATE_MS = 5_000;

/** Something that is lost, when, and why it did not come back, if so. */
interface Loss {
  name: string;
  at: number;
  away: string | undefined;
}

type Way = keyof typeof AWAY_MS;

/** Each broker, and of everything else one that is killed and another that is frozen; in a short story one of both. */
const victimsOf = (system: System, short: boolean): [Way, Part][] => {
  // Those who lose their broker go to another and stay: so each is asked something when it is its turn.
  const brokers = [...brokerParts(system), ...(short ? [] : brokerParts(system))].map((one, n): [Way, Part] => [
    n % 2 === 0 ? 'freeze' : 'kill',
    one,
  ]);
  const others = ['clazz', 'course', 'package', 'stats', 'gateway'].flatMap((service, at): [Way, Part][] => {
    const [first, second = first] = partsOf(system, service);
    if (first === undefined || second === undefined) return [];
    const both: [Way, Part][] = [
      ['kill', first],
      ['freeze', second],
    ];
    return short ? both.slice(at % 2, 1 + (at % 2)) : both;
  });
  return [...brokers, ...others];
};

const lose = async (way: Way, part: Part): Promise<Loss> => {
  const at = Date.now();
  await part[way]();
  await pause(AWAY_MS[way]);
  if (way === 'kill') await part.start();
  else part.thaw();
  const away = await part.whyAway();
  await pause(REST_MS);
  return { name: `${way} ${part.name}`, at, away };
};

const hasFailed = (shot: Shot): boolean => !isSuccess(shot) || shot.ms > LATE_MS;

const slotsOf = (shots: readonly Shot[], when: (shot: Shot) => number): number =>
  SLOT_MS * new Set(shots.map((shot) => Math.floor(when(shot) / SLOT_MS))).size;

/** The loss that a request failed for: the first while it was under way, or the last before. */
const causeOf = ({ at, ms }: Shot, losses: readonly Loss[]): Loss | undefined =>
  losses.find((loss) => loss.at >= at && loss.at <= at + ms) ?? losses.findLast((loss) => loss.at <= at);

const told = ({ name, away }: Loss, failed: readonly Shot[], most: number): { line: string; ok: boolean } => {
  const begun = slotsOf(failed, ({ at }) => at);
  const ended = slotsOf(failed, ({ at, ms }) => at + ms);
  const odd = failed.filter((shot) => !isSuccess(shot) && shot.status !== 503 && shot.status !== 504);
  const late = failed.filter(isSuccess).length;
  const longest = failed.reduce((most, { ms }) => Math.max(most, ms), 0);
  const times = `asked in ${seconds(begun)}, told in ${seconds(ended)}, longest ${seconds(longest)}`;
  return {
    line: `${name}: ${failureSummary(failed)}${odd.map(({ kind }) => `, ${kind}`).join('')}${late === 0 ? '' : `, ${late} late`}; ${times}${away === undefined ? '' : `; ${away}`}`,
    ok: away === undefined && begun < most && ended < most && odd.length === 0,
  };
};

export const loseAny: Scenario = {
  name: 'lose-any',
  about: `a cluster: each broker, and of everything else one of two, is killed and frozen under up to ${RATE} requests a second; nothing is lost or doubled`,
  on: CLUSTER,
  story: (system, context) =>
    behindProxy(system, context, async ({ rate, api, kinds, said, told: record }) => {
      const load = await createLoad({ ...system, api }, { seed: context.seed, writers: 1, restMs: 100 });
      const traffic = startTraffic(kinds, rate);
      load.start();
      await pause(REST_MS);
      const losses: Loss[] = [];
      for (const [way, part] of victimsOf(system, context.short)) losses.push(await lose(way, part));
      const shots = await traffic.stop();
      await load.stop();
      const failed = Map.groupBy(shots.filter(hasFailed), (shot) => causeOf(shot, losses));
      const found = losses.map((loss) => told(loss, failed.get(loss) ?? [], limitFor(context, MOST_MS)));
      for (const { line } of found) context.say(`  ${line}`);
      if (found.some(({ ok }) => !ok)) context.say(`  the proxy says ${said()}`);
      const verdict = await checkAtEnd(system, load, SETTLES_MS);
      const untrue = await record.untrue(system);
      const wrong = [...found.filter(({ ok }) => !ok).map(({ line }) => line), ...untrue.slice(0, 3)];
      return {
        ok: verdict.ok && wrong.length === 0,
        line: `${losses.length} losses, of ${shots.length}: ${failureSummary(shots)}; ${wrong.length === 0 ? 'none for long' : wrong.join('; ')}; ${verdict.line}`,
      };
    }),
};
