import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LimitShares } from './limit-shares.ts';
import { LOAN_MS, type Loan, RateLimit } from './rate-limit.ts';

const WINDOW_S = 6;
const WINDOW = 1_000 * WINDOW_S;
const KEY = 'org user';
const KEYS = 10;

interface Gateways {
  limits: RateLimit[];
  /** The number of requests from one gateway to another. */
  asked: () => number;
}
/** Gateways that know each other, with one clock. `sent` delays a loan before and after it is given. */
const gatewaysOf = (
  count: number,
  quota: number,
  clock: () => number,
  sent: () => Promise<unknown> = () => Promise.resolve(),
): Gateways => {
  const ids = Array.from({ length: count }, (_, n) => String(n));
  let asked = 0;
  const limits = ids.map((own): RateLimit => {
    const parts = new LimitShares(2 * WINDOW);
    parts.setGateways(own, ids, 0);
    const borrow = async (from: string, _limit: string, key: string, units: number): Promise<Loan> => {
      asked += 1;
      await sent();
      const loan = limits[Number(from)]?.lend(key, units);
      await sent();
      return loan ?? { units: 0, rest: 0, again_ms: 1_000 };
    };
    const pool = {
      share: (units: number, now: number) => parts.shareOf(units, now),
      others: () => ids.filter((id) => id !== own),
      borrow,
    };
    return new RateLimit({ name: 'user', quota, window_s: WINDOW_S }, pool, clock, KEYS);
  });
  return { limits, asked: () => asked };
};
/** Sends `count` requests at once, each to the gateway with the index `to(n)`; returns how many are accepted. */
const burst = async (limits: readonly RateLimit[], count: number, to: (n: number) => number): Promise<number> => {
  const taken = await Promise.all(Array.from({ length: count }, async (_, n) => limits[to(n)]?.take(KEY, 1)));
  return taken.filter(Boolean).length;
};

describe('A limit that gateways share', () => {
  it.each([1, 2, 3, 4])(
    'accepts exactly the quota over %i gateways, for any distribution of requests',
    async (count) => {
      const spreads: ((n: number) => number)[] = [() => 0, (n) => n % count, (n) => (n % 7 === 0 ? count - 1 : 0)];
      for (const to of spreads) {
        const { limits } = gatewaysOf(count, 100, () => 0);
        expect(await burst(limits, 300, to)).toBe(100);
      }
    },
  );

  it('can be used at every gateway when it has fewer units than gateways', async () => {
    const { limits } = gatewaysOf(3, 1, () => 0);
    expect(await burst(limits, 5, () => 2)).toBe(1);
  });

  it('sends no request to another gateway while its share lasts, and not for each refusal', async () => {
    let now = 0;
    const { limits, asked } = gatewaysOf(3, 90, () => now);
    const [one] = limits;
    for (let n = 0; n < 30; n += 1) expect(one?.take(KEY, 1)).toBe(true);
    expect(asked()).toBe(0);
    expect(await burst(limits, 100, () => 0)).toBe(60);
    const before = asked();
    expect(before).toBeLessThanOrEqual(6);
    for (let n = 0; n < 100; n += 1) expect(one?.take(KEY, 1)).toBe(false);
    expect(asked()).toBe(before);
    // The report "no units" is used for this time.
    now = 10_000;
    expect(await burst(limits, 100, () => 0)).toBe(90);
  });

  it('never accepts more than the quota in any window, for any order of requests and answers', async () => {
    const request = fc.record({
      at: fc.nat(2),
      cost: fc.constantFrom(1, 1, 1, 4),
      pause: fc.constantFrom(0, 0, 1, 90, 700, 1_500, 3_000, WINDOW),
      answers: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 25 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(request, { maxLength: 80, size: 'max' }),
        fc.scheduler(),
        async (quota, count, requests, scheduler) => {
          let now = 0;
          const { limits } = gatewaysOf(
            count,
            quota,
            () => now,
            () => scheduler.schedule(Promise.resolve()),
          );
          const passed: { at: number; units: number }[] = [];
          const waited: Promise<void>[] = [];
          for (const { at, cost, pause, answers } of requests) {
            const taken = limits[at % count]?.take(KEY, cost);
            const note = (is: boolean | undefined): void => {
              if (is === true) passed.push({ at: now, units: Math.min(cost, quota) });
            };
            if (taken instanceof Promise) waited.push(taken.then(note));
            else note(taken);
            for (let n = 0; n < answers && scheduler.count() > 0; n += 1) await scheduler.waitOne();
            now += pause;
          }
          await scheduler.waitIdle();
          await Promise.all(waited);
          for (const { at: from } of passed) {
            const within = passed.filter(({ at }) => at >= from && at < from + WINDOW);
            expect(within.reduce((sum, { units }) => sum + units, 0)).toBeLessThanOrEqual(quota);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  describe('A loan', () => {
    /** Two gateways with three units each; a loan to the first arrives when the test releases it. */
    const lending = () => {
      const time = { now: 1 };
      const arrivals: (() => void)[] = [];
      const loans: Loan[] = [];
      const [one, other] = gatewaysOf(2, 6, () => time.now).limits;
      if (one === undefined || other === undefined) throw new Error('there are two');
      const pool = {
        share: () => 3,
        others: () => ['other'],
        borrow: (_from: string, _limit: string, key: string, units: number) => {
          loans.push(other.lend(key, units));
          return new Promise<Loan>((resolve) => arrivals.push(() => resolve(loans.shift() ?? NOTHING)));
        },
      };
      const borrower = new RateLimit({ name: 'user', quota: 6, window_s: WINDOW_S }, pool, () => time.now, KEYS);
      return { time, borrower, other, arrive: () => arrivals.shift()?.() };
    };

    it('returns to its owner a whole window after its last possible use', async () => {
      const { time, borrower, other, arrive } = lending();
      expect(borrower.take(KEY, 3)).toBe(true);
      const waiting = borrower.take(KEY, 3);
      time.now = LOAN_MS - 1;
      arrive();
      expect(await waiting).toBe(true);
      time.now = LOAN_MS - 2 + WINDOW;
      expect(other.lend(KEY, 3).units).toBe(0);
    });

    it('is used within its time or not at all', async () => {
      const late = lending();
      expect(late.borrower.take(KEY, 3)).toBe(true);
      const waiting = late.borrower.take(KEY, 1);
      late.time.now += LOAN_MS;
      late.arrive();
      expect(await waiting).toBe(false);

      const { time, borrower, arrive } = lending();
      expect(borrower.take(KEY, 3)).toBe(true);
      const wide = borrower.take(KEY, 4);
      arrive();
      expect(await wide).toBe(false);
      // Units that arrived but did not suffice are available to other requests for a while.
      expect(borrower.take(KEY, 1)).toBe(true);
      time.now += LOAN_MS;
      const after = borrower.take(KEY, 1);
      arrive();
      expect(await after).toBe(false);
    });
  });

  it('is available again after a window and at most a thirtieth of it', async () => {
    let now = 1;
    const { limits } = gatewaysOf(2, 10, () => now);
    expect(await burst(limits, 11, () => 0)).toBe(10);
    now = WINDOW;
    expect(await burst(limits, 1, () => 0)).toBe(0);
    now = WINDOW + WINDOW / 30 + LOAN_MS;
    expect(await burst(limits, 11, () => 1)).toBe(10);
  });

  it('reports the remaining units and when there may be more', async () => {
    let now = 0;
    const { limits } = gatewaysOf(2, 10, () => now);
    const [one] = limits;
    expect(one?.limitState(KEY)).toEqual({ left: 10, for_ms: WINDOW });
    expect(one?.take(KEY, 2)).toBe(true);
    now = 1_000;
    // The estimate assumes that the other gateway has used as much.
    expect(one?.limitState(KEY)).toEqual({ left: 6, for_ms: WINDOW + 200 - 1_000 });
    expect(await one?.take(KEY, 4)).toBe(true);
    expect(one?.limitState(KEY).left).toBe(4);
    expect(await one?.take(KEY, 5)).toBe(false);
    expect(one?.retryDelay(KEY, 1)).toBe(WINDOW + 200 - 1_000);
  });

  it('accepts a request that costs more than the quota, for the whole quota', () => {
    const [one] = gatewaysOf(1, 3, () => 0).limits;
    expect([one?.take(KEY, 5), one?.take(KEY, 1)]).toEqual([true, false]);
    one?.giveBack(KEY, 5);
    expect([one?.take(KEY, 1), one?.take(KEY, 5)]).toEqual([true, false]);
  });

  it('gives back units that must not count', () => {
    const [one] = gatewaysOf(1, 2, () => 0).limits;
    expect([one?.take(KEY, 1), one?.take(KEY, 1), one?.take(KEY, 1)]).toEqual([true, true, false]);
    one?.giveBack(KEY, 1);
    expect([one?.take(KEY, 1), one?.take(KEY, 1)]).toEqual([true, false]);
  });

  it('refuses a request that waits too long for gateways that do not answer', async () => {
    let now = 0;
    const silent = () => {
      now += 450;
      return Promise.reject(new Error('no answer'));
    };
    const pool = { share: () => 0, others: () => ['b', 'c', 'd'], borrow: () => silent().catch(() => NOTHING) };
    const one = new RateLimit({ name: 'user', quota: 9, window_s: WINDOW_S }, pool, () => now);
    expect(await one.take(KEY, 1)).toBe(false);
    expect(now).toBe(1_800);
  });
});

const NOTHING: Loan = { units: 0, rest: 0, again_ms: 1_000 };
