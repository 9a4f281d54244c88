import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AUDIENCE, ISSUER, issueToken, type Keys } from '@teaching/local/keys.ts';
import { parseStat, TICK_US } from '../../developers/bench/cpu.ts';
import { memoryOf, requestHeapReports } from '../faults/process-memory.ts';
import { isSuccess, percentile, type RequestResult, runTraffic, startTraffic } from '../faults/traffic.ts';
import type { Instance } from '../system/instance.ts';
import { pause, waitFor } from '../system/poll.ts';
import type { ProxiedInstance } from '../system/proxied-instances.ts';
import type { System } from '../system/start-system.ts';

const ROLES = ['TEACHER', 'STUDENT', 'GUARDIAN', 'SUPERVISOR'] as const;
const DAY_S = 86_400;

/** Tokens of as many different people of an organization, with each role in turn. Half of them are staff. */
export const tokensOfPeople = (keys: Keys, org: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) =>
    issueToken(keys, {
      org,
      sub: `person-${randomUUID()}`,
      roles: [ROLES[n % ROLES.length] ?? 'STUDENT'],
      ttlSeconds: DAY_S,
      issuer: ISSUER,
      audience: AUDIENCE,
    }),
  );

const HEAP_REPORT_MS = 20_000;
const KIB_OF_MIB = 1_024;

/** The memory in KiB that `malloc` has in a process: sockets, parsers and other objects of Node outside the heap. */
const mallocKib = (pid: number): number => {
  const [, mapping = ''] = readFileSync(`/proc/${pid}/smaps`, 'utf8').split('[heap]');
  return Number(/^Rss: +(\d+) kB$/m.exec(mapping)?.[1] ?? Number.NaN);
};

/**
 * Memory of an instance in KiB after a garbage collection: reachable objects in the heap and outside it. The size of
 * the process is no measure: it contains free pages of the heap, which V8 keeps for some time.
 */
export const memoryKib = async (system: System, instance: Instance): Promise<number> => {
  const before = memoryOf(instance).length;
  requestHeapReports(system);
  await waitFor(`${instance.name} reports its memory`, () => memoryOf(instance).length > before, HEAP_REPORT_MS);
  return (memoryOf(instance).at(-1)?.needed ?? Number.NaN) * KIB_OF_MIB + mallocKib(instance.pid() ?? 0);
};

const cpuUs = (instance: Instance): number =>
  parseStat(readFileSync(`/proc/${instance.pid() ?? 0}/stat`, 'utf8')).own * TICK_US;

/** Percent of a core that each instance uses for so long. */
export const cpuPercents = async (instances: readonly Instance[], ms: number): Promise<number[]> => {
  const start = performance.now();
  const before = instances.map(cpuUs);
  await pause(ms);
  const took_us = (performance.now() - start) * 1_000;
  return instances.map((one, n) => ((cpuUs(one) - (before[n] ?? 0)) / took_us) * 100);
};

/** Requests a second of the measured person. */
const RATE = 50;
const ROUND_MS = 3_000;
const ROUNDS = 8;
const LIST = { path: '/clazz?limit=5', org: randomUUID() };

/** The 99th percentile of a person's requests in milliseconds, at both gateways in turn. */
export interface PersonTimes {
  without: number;
  withPages: number;
}

/**
 * Measures a person's requests at a gateway without pages and at the one with pages, in turn, because the speed of a
 * machine changes over time. `meanwhile` runs `every_ms`.
 */
export const measurePerson = async (
  system: System,
  [without, withPages]: readonly [ProxiedInstance, ProxiedInstance],
  meanwhile?: { run: () => Promise<unknown>; every_ms: number },
): Promise<PersonTimes> => {
  const results = new Map<ProxiedInstance, RequestResult[]>([
    [without, []],
    [withPages, []],
  ]);
  const timer = meanwhile && setInterval(() => void meanwhile.run(), meanwhile.every_ms);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [gateway, all] of results) {
      const api = system.apiOf(gateway);
      all.push(...(await runTraffic({ list: () => api(LIST) }, RATE, ROUND_MS)));
    }
  clearInterval(timer);
  const times = [...results.values()].map((all) => {
    const failed = all.filter((one) => !isSuccess(one));
    if (failed.length > 0) throw new Error(`${failed.length} requests of the person failed`);
    return percentile(all, 99);
  });
  return { without: times[0] ?? Number.NaN, withPages: times[1] ?? Number.NaN };
};

const WARM_MS = 4_000;

/** Sends requests to all gateways until their code is compiled and their memory has its usual size. */
export const warmUp = async (system: System, gateways: readonly ProxiedInstance[]): Promise<void> => {
  const kinds = gateways.map((gateway) => [gateway.name, () => system.apiOf(gateway)(LIST)] as const);
  const traffic = startTraffic(Object.fromEntries(kinds), RATE * 4);
  await pause(WARM_MS);
  await traffic.stop();
};
