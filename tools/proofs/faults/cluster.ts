import { randomUUID } from 'node:crypto';
import type { Api } from '../system/plain-api.ts';
import { joined } from '../system/instance-health.ts';
import { startHaproxy } from '../system/haproxy.ts';
import { brokerParts } from './system-parts.ts';
import { waitFor, pause } from '../system/poll.ts';
import type { System, SystemOptions } from '../system/start-system.ts';
import type { Context } from './scenario.ts';
import { type WriteOutcomes, createWriteOutcomes } from './write-outcomes.ts';
import { isSuccess, type Kinds, kindsOf, percentile, startCallers, trafficFor } from './traffic.ts';

/** Three brokers that all keep each stream, and two of everything else. */
export const CLUSTER = {
  brokers: 3,
  direct: true,
  instances: { clazz: 2, course: 2, package: 2, stats: 2, gateway: 2 },
  // Times and pools as they are by default; a gateway that closes before the proxy knows loses what is on its way to it.
  env: {
    DRAIN_MS: '3000',
    STREAM_REPLICAS: '3',
    DATABASE_LANES: '3',
    DATABASE_POOL: '10',
    TRUST_PROXY: 'loopback',
    CALL_TIMEOUT_MS: '10000',
  },
} satisfies Omit<SystemOptions, 'checkout'>;

/** How many requests a second at most; a short story has less, for where other things run as well. */
export const RATE = 200;
const SHORT_RATE = 50;
const wantedOf = ({ short }: Pick<Context, 'short'>): number => (short ? SHORT_RATE : RATE);
/** Organizations that ask: what changes one of them goes into its trail one after the other. */
const ORGS = 6;
/** Asked twice as often: most of what people do is looking. */
const OFTEN = ['read stats', 'read course', 'read package'];
const JOINS_MS = 60_000;
const WARM_MS = 2_000;
const QUICK_MS = 200;
const WARM_ROUNDS = 10;
/** Longer than anybody takes to answer, whoever is lost meanwhile. */
const CALLERS_MS = 30_000;

/** Code that runs for the first time is slow: half of the rate until that is over. */
const warmUp = async (kinds: Kinds, rate: number): Promise<void> => {
  for (let round = 0; round < WARM_ROUNDS; round += 1) {
    const shots = await trafficFor(kinds, rate / 2, WARM_MS);
    if (shots.every(isSuccess) && percentile(shots, 99) < QUICK_MS) return;
  }
};

const CALLERS = 12;
const TRIED_MS = 4_000;
/** What is left to who is still there when one of two is lost. */
const SHARE = 0.5;
/** A cluster that answers next to nothing has failed, and is asked all the same. */
const FEWEST = 25;

/** Half of what this machine answers a second, and no more than is wanted: parts that are lost are tried, not the machine. */
const rateFor = async (kinds: Kinds, wanted: number): Promise<number> => {
  const callers = startCallers(kinds, CALLERS);
  await pause(TRIED_MS);
  const answered = (await callers.stop()).filter(isSuccess).length / (TRIED_MS / 1_000);
  return Math.min(wanted, Math.max(FEWEST, Math.round(answered * SHARE)));
};

/** Who asks the cluster, by the proxy of `deploy/proxy`. */
export interface Entrance {
  /** So many requests a second. */
  rate: number;
  api: Api;
  kinds: Kinds;
  /** What the proxy said of requests that were broken off. */
  said: () => string;
  /** What callers were told of their writes. */
  told: Pick<WriteOutcomes, 'untrue'>;
}

/** What the people of one organization ask, under names of its own, and what they were told. */
const peopleOf = async (api: Api, n: number): Promise<{ kinds: Kinds; told: WriteOutcomes }> => {
  const org = randomUUID();
  const told = createWriteOutcomes(org);
  const kinds = Object.entries(told.noting(await kindsOf(api, org)));
  const often = kinds.flatMap(([name, ask]) => (OFTEN.includes(name) ? [[`${name} again`, ask] as const] : []));
  return { told, kinds: Object.fromEntries([...kinds, ...often].map(([name, ask]) => [`${name} of ${n}`, ask])) };
};

/** Plays with the cluster behind the proxy, once everybody takes part and is warm. */
export const behindProxy = async <T>(
  system: System,
  context: Context,
  story: (entrance: Entrance) => Promise<T>,
): Promise<T> => {
  const gateways = system.of('gateway');
  const [gateway] = gateways;
  if (gateway === undefined) throw new Error('There is no gateway');
  for (const one of system.instances) await joined(one, JOINS_MS);
  const [broker] = brokerParts(system);
  await waitFor('the brokers keep all streams', async () => (await broker?.whyAway()) === undefined, JOINS_MS);
  const proxy = await startHaproxy(gateways.map(({ address }) => Number(new URL(address).port)));
  try {
    const plain = system.apiOf({ ...gateway, address: proxy.address });
    const api: Api = (ask) => plain({ patience: CALLERS_MS, ...ask });
    const all = await Promise.all(Array.from({ length: ORGS }, (_, n) => peopleOf(api, n)));
    const kinds: Kinds = Object.fromEntries(all.flatMap((one) => Object.entries(one.kinds)));
    const untrue: WriteOutcomes['untrue'] = async (of) =>
      (await Promise.all(all.map(({ told }) => told.untrue(of)))).flat();
    const wanted = wantedOf(context);
    await warmUp(kinds, wanted);
    const rate = await rateFor(kinds, wanted);
    context.say(`  ${rate} requests a second`);
    return await story({ rate, api, kinds, said: proxy.said, told: { untrue } });
  } finally {
    await proxy.end();
  }
};
