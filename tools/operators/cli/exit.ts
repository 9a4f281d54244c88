/** How every command ends, told by its exit code. */
export const EXIT = {
  /** Done; what was asked about is well. */
  done: 0,
  /** It was looked, and something is not as it should be: the answer says what. */
  notWell: 1,
  /** The arguments are wrong; nothing was done. */
  usage: 2,
  /** It could not be done: somebody did not answer, or refused. */
  failed: 3,
  /** Ctrl-C, or SIGTERM. */
  interrupted: 130,
} as const;

/** Shown below every help. */
export const EXIT_CODES = `Exit codes: 0 done, all is well; 1 something is not as it should be, the answer says what; 2 wrong arguments;
3 it could not be done; 130 interrupted.`;

/** Arguments that make no sense, a line for each of them. */
export class UsageError extends Error {}
