import { createHash } from 'node:crypto';
import { ALL_PEERS, type Bus, joinInstanceGroup, type Logger, type Requester } from '@teaching/kit';
import { z } from 'zod';
import type { GatewayConfig } from '../config.ts';
import { LimitShares } from './limit-shares.ts';
import { LOAN_MS, type LimitOptions, type Loan, type LimitPool, RateLimit } from './rate-limit.ts';
import { windowOf } from './unit-usage.ts';

/** Timeout of a request to another gateway. The requester detects it at most 250 ms later. */
const ASK_MS = 1_000;
/** For this time a gateway that did not answer counts as a gateway without units. */
const SILENT_MS = 1_000;
/** Timeout of the requests that a joining gateway sends. */
const HELLO_MS = 1_000;

const count = z.int().nonnegative();
const Question = z.union([
  z.strictObject({ who_is_there: z.string() }),
  z.strictObject({ came: z.string() }),
  z.strictObject({ limit: z.string(), key: z.string(), units: z.int().positive() }),
]);
const There = z.object({ ids: z.array(z.string()) });
const Welcome = z.object({
  debts: z.record(z.string(), z.array(z.tuple([z.string(), count]))),
  /** True when a gateway left and the units that it gave out are unknown. */
  is_missing: z.boolean(),
});
type Welcome = z.output<typeof Welcome>;
const LoanAnswer = z.object({ units: count, rest: count, again_ms: z.number().nonnegative() });

const NOTHING: Loan = { units: 0, rest: 0, again_ms: SILENT_MS };

/** The limits of a gateway. It shares them with the gateways of the same configuration. */
interface SharedLimits<N extends string> {
  limits: Readonly<Record<N, RateLimit>>;
  /** Finds the other gateways and joins their group. */
  join(): Promise<void>;
  leave(): void;
}

interface SharedDeps {
  bus: Bus;
  requester: Requester;
  log: Logger;
}

/** The group of gateways with these limits. Gateways with other limits count separately. */
const groupOf = (all: readonly LimitOptions[]): string =>
  createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 16);

/** Limits of one window, each divided among the running gateways. */
const shareLimits = <N extends string>(
  quotas: Readonly<Record<N, number>>,
  window_s: number,
  { bus, requester, log }: SharedDeps,
): SharedLimits<N> => {
  const clock = (): number => performance.now();
  const { window_ms, step_ms } = windowOf(window_s * 1_000);
  const shares = new LimitShares(window_ms + step_ms + LOAN_MS);
  const options = Object.entries<number>(quotas).map(([name, quota]) => ({ name, quota, window_s }));

  const answer = (given: unknown): object | undefined => {
    const { success, data } = Question.safeParse(given);
    if (!success) return undefined;
    if ('who_is_there' in data)
      return data.who_is_there === peers.id ? undefined : { ids: [peers.id, ...peers.others()] };
    if ('came' in data) return welcome();
    return byName.get(data.limit)?.lend(data.key, data.units);
  };
  const onChange = (): void => {
    const others = peers.others();
    shares.setGateways(peers.id, [peers.id, ...others], clock());
    log.info({ gateways: others.length + 1 }, 'rate limits divided among gateways');
  };

  const welcome = (): Welcome => ({
    debts: Object.fromEntries([...byName].map(([name, limit]) => [name, limit.debts()])),
    is_missing: shares.hasUnknownUnits(clock()),
  });

  const soon = (): number => performance.now() + HELLO_MS;
  /** The ids of the other gateways; empty for the first gateway. */
  const whoIsThere = async (): Promise<string[]> => {
    try {
      const { ids } = There.parse(await peers.request(ALL_PEERS, { who_is_there: peers.id }, soon()));
      return ids.filter((id) => id !== peers.id);
    } catch {
      return [];
    }
  };
  const greet = async (to: string): Promise<Welcome | undefined> => {
    try {
      return Welcome.parse(await peers.request(to, { came: peers.id }, soon()));
    } catch {
      return undefined;
    }
  };

  /**
   * Takes over this gateway's share from the others, minus the units that they gave out of it. If those units are
   * unknown, a new gateway starts without units.
   */
  const takePart = async (isNew: boolean): Promise<void> => {
    const welcomes = await Promise.all((await whoIsThere()).map(greet));
    if (isNew && welcomes.some((one) => one?.is_missing !== false)) shares.startEmpty(clock());
    for (const { debts } of welcomes.filter((one) => one !== undefined))
      for (const [name, owed] of Object.entries(debts))
        for (const [key, units] of owed) byName.get(name)?.addDebt(key, units);
  };

  const peers = joinInstanceGroup(bus, requester, groupOf(options), {
    answer,
    onChange,
    // While this gateway was disconnected, others may have taken over its share.
    onReturn: () => void takePart(false),
    onHeartbeat: () => {
      if (!bus.isUp()) shares.keepDivisor(clock());
    },
  });

  const pool: LimitPool = {
    share: (quota, now) => shares.shareOf(quota, now),
    others: () => peers.others(),
    borrow: async (from, limit, key, units) => {
      try {
        return LoanAnswer.parse(await peers.request(from, { limit, key, units }, performance.now() + ASK_MS));
      } catch {
        return NOTHING;
      }
    },
  };
  const byName = new Map(options.map((one) => [one.name, new RateLimit(one, pool, clock)]));

  return {
    limits: Object.fromEntries(byName) as Record<N, RateLimit>, // made from the keys of `quotas`
    join: async () => {
      // A gateway that receives this message answers at once, so `takePart` finds the others.
      peers.announce();
      await takePart(true);
      peers.join();
    },
    leave: () => peers.leave(),
  };
};

/** The limits: requests of a user, of an organization and of a secret in a path; failures of an address. */
type LimitName = 'user' | 'org' | 'link' | 'address';
export type GatewayLimits = Readonly<Record<LimitName, RateLimit>>;

/** Unless its limit is configured, an organization may use as much as this number of users. */
const USERS_OF_ORG = 10;

/** The pool of a single gateway: it owns every unit and borrows none. */
const ALONE: LimitPool = {
  share: (quota) => quota,
  others: () => [],
  borrow: async () => ({ units: 0, rest: 0, again_ms: 0 }),
};

/** A limit that each gateway counts separately. */
export const ownLimit = (name: string, quota: number, window_s: number): RateLimit =>
  new RateLimit({ name, quota, window_s }, ALONE, () => performance.now());

export const shareGatewayLimits = (config: GatewayConfig, deps: SharedDeps): SharedLimits<LimitName> => {
  const { RATE_LIMIT, FAILURE_LIMIT, RATE_LIMIT_WINDOW_SECONDS } = config;
  const org = config.ORG_RATE_LIMIT ?? USERS_OF_ORG * RATE_LIMIT;
  const quotas = { user: RATE_LIMIT, org, link: RATE_LIMIT, address: FAILURE_LIMIT };
  return shareLimits(quotas, RATE_LIMIT_WINDOW_SECONDS, deps);
};
