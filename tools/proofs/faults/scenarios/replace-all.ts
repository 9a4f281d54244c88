import { behindProxy, CLUSTER, RATE } from '../cluster.ts';
import { brokerParts, type Part, partsOf } from '../system-parts.ts';
import { holdsWithin, pause } from '../../system/poll.ts';
import type { Scenario } from '../scenario.ts';
import { isSuccess, seconds, type Shot, slowest, startTraffic, failureSummary } from '../traffic.ts';

/** At least; 10,000 requests at the full rate. */
const ASKED_S = 50;
/** Between two of them, so that each is replaced beside the work of all others. */
const REST_MS = 500;
const ENOUGH_MS = 120_000;

/** When one was told to stop, and why it did not do well, if so. */
interface Replaced {
  name: string;
  at: number;
  trouble: string | undefined;
}

const replace = async (part: Part): Promise<Replaced> => {
  const { name } = part;
  const at = Date.now();
  const hasStopped = await part.stop();
  if (!hasStopped) await part.kill();
  await part.start();
  const away = await part.whyAway();
  await pause(REST_MS);
  return { name, at, trouble: hasStopped ? away : `${name} did not stop in time, or not with 0` };
};

/** What went wrong, and when: since somebody was told to stop. */
const whenOf =
  (replaced: readonly Replaced[]) =>
  (shot: Shot): string => {
    const since = shot.at - (replaced.findLast((one) => one.at <= shot.at)?.at ?? shot.at);
    return `${shot.kind} after ${seconds(since)}, for ${Math.round(shot.ms)} ms: ${failureSummary([shot])}`;
  };

export const replaceAll: Scenario = {
  name: 'replace-all',
  about: `a cluster: each broker, each instance and each gateway is stopped and started in turn under up to ${RATE} requests a second; none fails`,
  on: CLUSTER,
  story: (system, context) =>
    behindProxy(system, context, async ({ rate, kinds, said, told }) => {
      const parts = [
        ...brokerParts(system),
        ...['clazz', 'course', 'package', 'stats', 'gateway'].flatMap((service) => partsOf(system, service)),
      ];
      const traffic = startTraffic(kinds, rate);
      await pause(REST_MS);
      const replaced: Replaced[] = [];
      for (const part of parts) {
        const one = await replace(part);
        replaced.push(one);
        context.say(`  ${one.name}: ${one.trouble ?? 'replaced'} after ${seconds(Date.now() - one.at)}`);
      }
      const wanted = context.short ? 0 : rate * ASKED_S;
      await holdsWithin(() => traffic.shots.length >= wanted, ENOUGH_MS);
      const shots = await traffic.stop();
      const whose = ({ at, ms }: Shot): string => replaced.findLast((one) => one.at <= at + ms)?.name ?? 'nobody';
      const failed = Map.groupBy(
        shots.filter((shot) => !isSuccess(shot)),
        whose,
      );
      for (const [name, some] of failed) context.say(`  ${name}: ${some.map(whenOf(replaced)).join('; ')}`);
      if (failed.size > 0) context.say(`  the proxy says ${said()}`);
      const wrong = [...replaced.flatMap(({ trouble }) => trouble ?? []), ...(await told.untrue(system)).slice(0, 3)];
      const last = replaced.at(-1)?.at ?? 0;
      const line = `${replaced.length} replaced in ${seconds(last - (replaced[0]?.at ?? 0))}, of ${shots.length}: ${failureSummary(shots)}${[...failed.keys()].map((name) => `, at ${name}`).join('')}; slowest ${slowest(shots)} ms`;
      return {
        ok: failed.size === 0 && wrong.length === 0 && shots.length >= wanted,
        line: [line, ...wrong].join('; '),
      };
    }),
};
