import { pause } from '../system/poll.ts';
import type { Outcome } from './scenario.ts';
import { isSuccess, type Kinds, percentile, type Shot, trafficFor, failureSummary } from './traffic.ts';

const ALONE_MS = 8_000;
const BESIDE_MS = 8_000;
const SETTLE_MS = 1_000;
/** In turn, since a machine has better minutes and worse. */
const ROUNDS = 3;
const FACTOR = 1.5;
/** What two runs on a busy machine differ by anyway. */
const SLACK_MS = { 50: 3, 99: 10 } as const;

export interface Quiet {
  /** What the quiet org does. */
  kinds: Kinds;
  /** So many a second. */
  rate: number;
}

const timesOf = (shots: readonly Shot[]): { 50: number; 99: number } => ({
  50: percentile(shots, 50),
  99: percentile(shots, 99),
});

const ms = (n: number): string => n.toFixed(n < 10 ? 1 : 0);

/**
 * Measures a quiet org alone and beside somebody who disturbs, several times in turn: nothing of it may fail, and it may
 * take half as long again.
 */
export const measureBeside = async (
  { kinds, rate }: Quiet,
  disturb: () => Promise<() => Promise<string>>,
): Promise<Outcome> => {
  const before: Shot[] = [];
  const beside: Shot[] = [];
  let whatTheyDid = '';
  await trafficFor(kinds, rate, SETTLE_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    before.push(...(await trafficFor(kinds, rate, ALONE_MS)));
    const rest = await disturb();
    await pause(SETTLE_MS);
    beside.push(...(await trafficFor(kinds, rate, BESIDE_MS)));
    whatTheyDid = await rest();
    await pause(SETTLE_MS);
  }
  const [alone, then] = [timesOf(before), timesOf(beside)];
  const failed = beside.filter((shot) => !isSuccess(shot));
  const isSlow = ([50, 99] as const).filter((p) => !(then[p] <= alone[p] * FACTOR + SLACK_MS[p]));
  const told =
    failed.length === 0 ? 'none failed' : `${failed.length} of ${beside.length} failed (${failureSummary(beside)})`;
  const line = `p50 ${ms(alone[50])} → ${ms(then[50])} ms, p99 ${ms(alone[99])} → ${ms(then[99])} ms, ${told} (${whatTheyDid})`;
  return { ok: failed.length === 0 && isSlow.length === 0, line };
};
