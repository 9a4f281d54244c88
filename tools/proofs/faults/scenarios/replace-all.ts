import { behindProxy, CLUSTER, RATE } from '../cluster.ts';
import { brokerParts, type SystemPart, partsOf } from '../system-parts.ts';
import { holdsWithin, pause } from '../../system/poll.ts';
import type { Scenario } from '../scenario.ts';
import { isSuccess, seconds, type RequestResult, slowest, startTraffic, failureSummary } from '../traffic.ts';

/** The minimum duration in seconds; at the full rate these are 10,000 requests. */
const DURATION_S = 50;
/** The pause between two replacements, so that each happens while all other parts work. */
const REST_MS = 500;
const REQUESTS_TIMEOUT_MS = 120_000;

/** A replaced part, the time of its stop signal in epoch ms, and the fault of the replacement, if any. */
interface Replaced {
  name: string;
  at: number;
  trouble: string | undefined;
}

const replace = async (part: SystemPart): Promise<Replaced> => {
  const { name } = part;
  const at = Date.now();
  const hasStopped = await part.stop();
  if (!hasStopped) await part.kill();
  await part.start();
  const away = await part.reasonNotJoined();
  await pause(REST_MS);
  return { name, at, trouble: hasStopped ? away : `${name} did not stop in time or not with exit code 0` };
};

/** Describes a failed request and its delay after the last stop signal. */
const describeFailure =
  (replaced: readonly Replaced[]) =>
  (shot: RequestResult): string => {
    const since = shot.at - (replaced.findLast((one) => one.at <= shot.at)?.at ?? shot.at);
    return `${shot.kind} after ${seconds(since)}, for ${Math.round(shot.ms)} ms: ${failureSummary([shot])}`;
  };

export const replaceAll: Scenario = {
  name: 'replace-all',
  about: `a cluster: every broker, instance and gateway is stopped and started in turn under up to ${RATE} requests a second; no request fails`,
  system: CLUSTER,
  run: (system, context) =>
    behindProxy(system, context, async ({ rate, kinds, proxyLog, outcomes }) => {
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
        context.log(`  ${one.name}: ${one.trouble ?? 'replaced'} after ${seconds(Date.now() - one.at)}`);
      }
      const wanted = context.short ? 0 : rate * DURATION_S;
      await holdsWithin(() => traffic.shots.length >= wanted, REQUESTS_TIMEOUT_MS);
      const shots = await traffic.stop();
      const partOf = ({ at, ms }: RequestResult): string =>
        replaced.findLast((one) => one.at <= at + ms)?.name ?? 'no part';
      const failed = Map.groupBy(
        shots.filter((shot) => !isSuccess(shot)),
        partOf,
      );
      for (const [name, some] of failed) context.log(`  ${name}: ${some.map(describeFailure(replaced)).join('; ')}`);
      if (failed.size > 0) context.log(`  the proxy logged ${proxyLog()}`);
      const wrong = [
        ...replaced.flatMap(({ trouble }) => trouble ?? []),
        ...(await outcomes.contradictions(system)).slice(0, 3),
      ];
      const last = replaced.at(-1)?.at ?? 0;
      const line = `${replaced.length} replaced in ${seconds(last - (replaced[0]?.at ?? 0))}, of ${shots.length}: ${failureSummary(shots)}${[...failed.keys()].map((name) => `, at ${name}`).join('')}; slowest ${slowest(shots)} ms`;
      return {
        ok: failed.size === 0 && wrong.length === 0 && shots.length >= wanted,
        line: [line, ...wrong].join('; '),
      };
    }),
};
