/** Milliseconds by which the wall clock of another part of the system is ahead of that of this process. */
export interface ClockSkew {
  /** The name of a service, `postgres` or `nats`. */
  part: string;
  skew_ms: number;
}

/** Clocks that differ by more are reported. Clocks that are synchronized over a network differ by less than 0.1 s. */
const REPORTED_MS = 2_000;

/**
 * The least skew that explains that a part answered with this time to a question that was sent at `begun` and answered
 * at `ended`. All are epoch milliseconds.
 */
export const leastSkew = (at: number, begun: number, ended: number): number =>
  Math.max(at - ended, 0) + Math.min(at - begun, 0);

/** The largest skew of each part, in seconds. */
export const largestSkews = (skews: readonly ClockSkew[]): Map<string, number> => {
  const largest = new Map<string, number>();
  for (const { part, skew_ms } of skews) {
    const skew_s = skew_ms / 1_000;
    if (Math.abs(skew_s) >= Math.abs(largest.get(part) ?? 0)) largest.set(part, skew_s);
  }
  return largest;
};

/** The parts whose clocks differ by more than two seconds, for health reports. */
export const reportedSkews = (skews: readonly ClockSkew[]): { part: string; skew_s: number }[] =>
  [...largestSkews(skews)]
    .filter(([, skew_s]) => Math.abs(skew_s) * 1_000 > REPORTED_MS)
    .map(([part, skew_s]) => ({ part, skew_s: Math.round(skew_s * 10) / 10 }));
