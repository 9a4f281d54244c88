export interface ProofOptions {
  /** How often the claim is tried; each proof has its own unit. */
  count: number;
  /** Aborted when the proof is interrupted: it cleans up and returns what it has so far. */
  signal: AbortSignal;
  say: (line: string) => void;
}

/** A claim that takes too long to be tried by `npm test` or in CI. */
export interface Proof {
  name: string;
  /** What is tried, in one line. */
  about: string;
  /** About how long that takes on two quiet cores, by the count below. */
  minutes: number;
  /** The count unless the caller gives one. */
  count: number;
  /** Returns how often the claim held, of how many tries. It says why it did not hold. */
  run: (options: ProofOptions) => Promise<{ succeeded: number; tried: number }>;
}
