/** The exit codes of all commands. */
export const EXIT = {
  /** Done, and the checked part is healthy. */
  done: 0,
  /** Checked, and something is not as it should be: the answer has the details. */
  notWell: 1,
  /** The arguments are wrong; nothing was done. */
  usage: 2,
  /** It failed: a server did not answer or refused. */
  failed: 3,
  /** Ctrl-C, or SIGTERM. */
  interrupted: 130,
} as const;

/** Printed below every help. */
export const EXIT_CODES = `Exit codes: 0 success; 1 the check found a problem, which the output names; 2 wrong arguments; 3 failure;
130 interrupted.`;

/** Wrong arguments, one line for each. */
export class UsageError extends Error {}
