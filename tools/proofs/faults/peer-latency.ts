import { pause } from '../system/poll.ts';
import type { ScenarioResult } from './scenario.ts';
import { isSuccess, type RequestKinds, percentile, type RequestResult, runTraffic, failureSummary } from './traffic.ts';

const ALONE_MS = 8_000;
const BESIDE_MS = 8_000;
const SETTLE_MS = 1_000;
/** Measurements alternate, because the speed of a machine changes over time. */
const ROUNDS = 3;
const FACTOR = 1.5;
/** Tolerated difference in milliseconds between two runs on a busy machine, by percentile. */
const SLACK_MS = { 50: 3, 99: 10 } as const;

export interface MeasuredTraffic {
  /** The requests of the measured organization. */
  kinds: RequestKinds;
  /** Requests per second. */
  rate: number;
}

const timesOf = (shots: readonly RequestResult[]): { 50: number; 99: number } => ({
  50: percentile(shots, 50),
  99: percentile(shots, 99),
});

const ms = (n: number): string => n.toFixed(n < 10 ? 1 : 0);

/**
 * Measures the latency of an organization alone and beside `disturb`, several times in alternation. The result is
 * good when no request fails and the percentiles grow by at most half.
 */
export const measureWhileDisturbed = async (
  { kinds, rate }: MeasuredTraffic,
  disturb: () => Promise<() => Promise<string>>,
): Promise<ScenarioResult> => {
  const before: RequestResult[] = [];
  const beside: RequestResult[] = [];
  let disturbance = '';
  await runTraffic(kinds, rate, SETTLE_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    before.push(...(await runTraffic(kinds, rate, ALONE_MS)));
    const stopDisturbing = await disturb();
    await pause(SETTLE_MS);
    beside.push(...(await runTraffic(kinds, rate, BESIDE_MS)));
    disturbance = await stopDisturbing();
    await pause(SETTLE_MS);
  }
  const [alone, disturbed] = [timesOf(before), timesOf(beside)];
  const failed = beside.filter((shot) => !isSuccess(shot));
  const slow = ([50, 99] as const).filter((p) => !(disturbed[p] <= alone[p] * FACTOR + SLACK_MS[p]));
  const failures =
    failed.length === 0 ? 'none failed' : `${failed.length} of ${beside.length} failed (${failureSummary(beside)})`;
  const line = `p50 ${ms(alone[50])} → ${ms(disturbed[50])} ms, p99 ${ms(alone[99])} → ${ms(disturbed[99])} ms, ${failures} (${disturbance})`;
  return { ok: failed.length === 0 && slow.length === 0, line };
};
