export interface ProofOptions {
  /** Number of repetitions. Each proof defines what one repetition is. */
  count: number;
  /** Aborted when the proof is interrupted. The proof then cleans up and returns the result so far. */
  signal: AbortSignal;
  log: (line: string) => void;
}

/** A claim whose test takes too long for `npm test` and CI. */
export interface Proof {
  name: string;
  /** The tested claim, in one line. */
  about: string;
  /** Approximate minutes on two idle cores with the default count. */
  minutes: number;
  /** The default number of repetitions. */
  count: number;
  /** Returns how many repetitions succeeded, of how many. Logs the reason of each failure. */
  run: (options: ProofOptions) => Promise<{ succeeded: number; tried: number }>;
}
