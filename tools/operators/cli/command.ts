import type { Command } from 'commander';
import type { Env } from '../../../libs/kit/src/ops/config-error.ts';

/** What a command has to work with. */
export interface Context {
  env: Env;
  /** Part of the answer, on stdout. */
  print: (text: string) => void;
  /** What is worth knowing beside the answer, on stderr. */
  note: (text: string) => void;
  /** It ends well, and says that something is not as it should be. */
  notWell: () => void;
  /**
   * From now on Ctrl-C does not end the process: the command has to stop in order when the signal is aborted. `goOn` is said
   * then. Commands that do not ask for it may be ended at any moment.
   */
  interruptible: (goOn: string) => AbortSignal;
}

/** Gives a command its arguments, options, subcommands and what it does. */
export type Define = (command: Command, context: Context) => void;

/** A command as it is listed; the rest is loaded when somebody asks for it. */
export interface Listed {
  name: string;
  summary: string;
  load: () => Promise<{ define: Define }>;
}
