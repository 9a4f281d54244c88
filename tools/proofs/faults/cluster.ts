import { randomUUID } from 'node:crypto';
import type { Api } from '../system/plain-api.ts';
import { hasJoinedWithin } from '../system/instance-health.ts';
import { startHaproxy } from '../system/haproxy.ts';
import { brokerParts } from './system-parts.ts';
import { waitFor, pause } from '../system/poll.ts';
import type { System, SystemOptions } from '../system/start-system.ts';
import type { ScenarioOptions } from './scenario.ts';
import { type WriteOutcomes, createWriteOutcomes } from './write-outcomes.ts';
import { isSuccess, type RequestKinds, createRequestKinds, percentile, startCallers, runTraffic } from './traffic.ts';

/** Three brokers that replicate each stream, and two instances of every service and of the gateway. */
export const CLUSTER = {
  brokers: 3,
  direct: true,
  instances: { clazz: 2, course: 2, package: 2, stats: 2, gateway: 2 },
  // Default times and pool sizes, but a drain: a gateway that closes before the proxy notices loses requests.
  env: {
    DRAIN_MS: '3000',
    STREAM_REPLICAS: '3',
    DATABASE_LANES: '3',
    DATABASE_POOL: '10',
    TRUST_PROXY: 'loopback',
    CALL_TIMEOUT_MS: '10000',
  },
} satisfies Omit<SystemOptions, 'checkout'>;

/** The highest rate in requests per second. A short scenario uses a lower one, because other tests run beside it. */
export const RATE = 200;
const SHORT_RATE = 50;
const maxRate = ({ short }: Pick<ScenarioOptions, 'short'>): number => (short ? SHORT_RATE : RATE);
/** Number of organizations that send requests. Writes of one organization are serialized by its audit log. */
const ORGS = 6;
/** Reads that are sent twice as often, because people read more than they write. */
const FREQUENT = ['read stats', 'read course', 'read package'];
const JOIN_TIMEOUT_MS = 60_000;
const WARM_MS = 2_000;
const QUICK_MS = 200;
const WARM_ROUNDS = 10;
/** The request timeout. It is longer than any answer takes, also while a part is lost. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Sends half of the rate until answers are fast, because code is slow when it runs for the first time. */
const warmUp = async (kinds: RequestKinds, rate: number): Promise<void> => {
  for (let round = 0; round < WARM_ROUNDS; round += 1) {
    const shots = await runTraffic(kinds, rate / 2, WARM_MS);
    if (shots.every(isSuccess) && percentile(shots, 99) < QUICK_MS) return;
  }
};

const CALLERS = 12;
const MEASURE_MS = 4_000;
/** The share of the capacity that remains when one of two instances is lost. */
const REMAINING_SHARE = 0.5;
/** The lowest rate. A cluster that answers almost nothing fails, but must be loaded all the same. */
const MIN_RATE = 25;

/**
 * Half of what the machine answers in a second, and at most `wanted`: the test must not find the limit of the machine.
 */
const rateFor = async (kinds: RequestKinds, wanted: number): Promise<number> => {
  const callers = startCallers(kinds, CALLERS);
  await pause(MEASURE_MS);
  const answered = (await callers.stop()).filter(isSuccess).length / (MEASURE_MS / 1_000);
  return Math.min(wanted, Math.max(MIN_RATE, Math.round(answered * REMAINING_SHARE)));
};

/** A client of the cluster that uses the proxy of `deploy/proxy`. */
export interface ClusterClient {
  /** Requests per second. */
  rate: number;
  api: Api;
  kinds: RequestKinds;
  /** The proxy's log lines about aborted requests. */
  proxyLog: () => string;
  /** The answers that callers received to their writes. */
  outcomes: Pick<WriteOutcomes, 'contradictions'>;
}

/** The requests of one organization, under names of its own, and the recorded answers to its writes. */
const organizationTraffic = async (api: Api, n: number): Promise<{ kinds: RequestKinds; outcomes: WriteOutcomes }> => {
  const org = randomUUID();
  const outcomes = createWriteOutcomes(org);
  const kinds = Object.entries(outcomes.recording(await createRequestKinds(api, org)));
  const frequent = kinds.flatMap(([name, ask]) => (FREQUENT.includes(name) ? [[`${name} again`, ask] as const] : []));
  return {
    outcomes,
    kinds: Object.fromEntries([...kinds, ...frequent].map(([name, ask]) => [`${name} of ${n}`, ask])),
  };
};

/** Runs `work` with a client of the cluster behind the proxy, after all parts have joined and are warm. */
export const behindProxy = async <T>(
  system: System,
  context: ScenarioOptions,
  work: (entrance: ClusterClient) => Promise<T>,
): Promise<T> => {
  const gateways = system.instancesOf('gateway');
  const [gateway] = gateways;
  if (gateway === undefined) throw new Error('the system has no gateway');
  for (const one of system.instances) await hasJoinedWithin(one, JOIN_TIMEOUT_MS);
  const [broker] = brokerParts(system);
  await waitFor(
    'the brokers replicate all streams',
    async () => (await broker?.reasonNotJoined()) === undefined,
    JOIN_TIMEOUT_MS,
  );
  const proxy = await startHaproxy(gateways.map(({ address }) => Number(new URL(address).port)));
  try {
    const plain = system.apiOf({ ...gateway, address: proxy.address });
    const api: Api = (ask) => plain({ timeout: REQUEST_TIMEOUT_MS, ...ask });
    const all = await Promise.all(Array.from({ length: ORGS }, (_, n) => organizationTraffic(api, n)));
    const kinds: RequestKinds = Object.fromEntries(all.flatMap((one) => Object.entries(one.kinds)));
    const contradictions: WriteOutcomes['contradictions'] = async (of) =>
      (await Promise.all(all.map(({ outcomes }) => outcomes.contradictions(of)))).flat();
    const wanted = maxRate(context);
    await warmUp(kinds, wanted);
    const rate = await rateFor(kinds, wanted);
    context.log(`  ${rate} requests a second`);
    return await work({ rate, api, kinds, proxyLog: proxy.abortedRequests, outcomes: { contradictions } });
  } finally {
    await proxy.end();
  }
};
