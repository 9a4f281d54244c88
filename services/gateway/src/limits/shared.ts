import { createHash } from 'node:crypto';
import { ALL_PEERS, type Bus, createPeers, type Logger, type Requester } from '@teaching/kit';
import { z } from 'zod';
import { windowOf } from './account.ts';
import { Parts } from './parts.ts';
import { HOLD_MS, type LimitOptions, type Loan, type Pool, RateLimit } from './rate-limit.ts';

/** How long an answer is waited for, by who has much to do; the requester notices a quarter of a second later at most. */
const ASK_MS = 1_000;
/** Who does not answer has nothing for so long. */
const SILENT_MS = 1_000;
/** How long others are waited for by whoever comes. */
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
  /** Somebody left, and nobody knows what they gave out. */
  is_missing: z.boolean(),
});
type Welcome = z.output<typeof Welcome>;
const LoanAnswer = z.object({ units: count, rest: count, again_ms: z.number().nonnegative() });

const NOTHING: Loan = { units: 0, rest: 0, again_ms: SILENT_MS };

/** All limits of a gateway, which it shares with the others that have the same. */
export interface SharedLimits<N extends string> {
  limits: Readonly<Record<N, RateLimit>>;
  /** Finds out who else is there, and takes part. */
  join(): Promise<void>;
  leave(): void;
}

export interface SharedDeps {
  bus: Bus;
  requester: Requester;
  log: Logger;
}

/** Gateways that are configured differently count for themselves. */
const groupOf = (all: readonly LimitOptions[]): string =>
  createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 16);

/** Limits of one window, each divided among the gateways that are there. */
export const shareLimits = <N extends string>(
  quotas: Readonly<Record<N, number>>,
  window_s: number,
  { bus, requester, log }: SharedDeps,
): SharedLimits<N> => {
  const clock = (): number => performance.now();
  const { window_ms, step_ms } = windowOf(window_s * 1_000);
  const parts = new Parts(window_ms + step_ms + HOLD_MS);
  const options = Object.entries<number>(quotas).map(([name, quota]) => ({ name, quota, window_s }));

  const answer = (given: unknown): object | undefined => {
    const { success, data } = Question.safeParse(given);
    if (!success) return undefined;
    if ('who_is_there' in data)
      return data.who_is_there === peers.id ? undefined : { ids: [peers.id, ...peers.others()] };
    if ('came' in data) return welcome();
    return byName.get(data.limit)?.lend(data.key, data.units);
  };
  const changed = (): void => {
    const others = peers.others();
    parts.changed(peers.id, [peers.id, ...others], clock());
    log.info({ gateways: others.length + 1 }, 'limits are divided');
  };

  const welcome = (): Welcome => ({
    debts: Object.fromEntries([...byName].map(([name, limit]) => [name, limit.debts()])),
    is_missing: parts.isMissing(clock()),
  });

  const soon = (): number => Date.now() + HELLO_MS;
  /** Everybody else who is there; nobody, if this is the first one. */
  const whoIsThere = async (): Promise<string[]> => {
    try {
      const { ids } = There.parse(await peers.ask(ALL_PEERS, { who_is_there: peers.id }, soon()));
      return ids.filter((id) => id !== peers.id);
    } catch {
      return [];
    }
  };
  const greet = async (to: string): Promise<Welcome | undefined> => {
    try {
      return Welcome.parse(await peers.ask(to, { came: peers.id }, soon()));
    } catch {
      return undefined;
    }
  };

  /**
   * Takes this one's part over from the others: without what they have given out of it. What is known to nobody makes one
   * that is new begin with nothing.
   */
  const takePart = async (isNew: boolean): Promise<void> => {
    const welcomes = await Promise.all((await whoIsThere()).map(greet));
    if (isNew && welcomes.some((one) => one?.is_missing !== false)) parts.begin(clock());
    for (const { debts } of welcomes.filter((one) => one !== undefined))
      for (const [name, owed] of Object.entries(debts))
        for (const [key, units] of owed) byName.get(name)?.owe(key, units);
  };

  const peers = createPeers(bus, requester, groupOf(options), {
    answer,
    changed,
    // While this one was away others may have taken its part over.
    returned: () => void takePart(false),
    beat: () => {
      if (!bus.isUp()) parts.hold(clock());
    },
  });

  const pool: Pool = {
    part: (quota, now) => parts.of(quota, now),
    others: () => peers.others(),
    borrow: async (from, limit, key, units) => {
      try {
        return LoanAnswer.parse(await peers.ask(from, { limit, key, units }, Date.now() + ASK_MS));
      } catch {
        return NOTHING;
      }
    },
  };
  const byName = new Map(options.map((one) => [one.name, new RateLimit(one, pool, clock)]));

  return {
    limits: Object.fromEntries(byName) as Record<N, RateLimit>, // made from the keys of `quotas`
    join: async () => {
      // Who hears of this one says so at once: so whoever answers is known by then.
      peers.appear();
      await takePart(true);
      peers.join();
    },
    leave: () => peers.leave(),
  };
};
