import type { Command } from 'commander';
import type { Env } from '../../../libs/kit/src/ops/config-error.ts';

/** The environment of a command. */
export interface Context {
  env: Env;
  /** Prints a part of the answer, on stdout. */
  print: (text: string) => void;
  /** Prints a remark beside the answer, on stderr. */
  note: (text: string) => void;
  /** Sets exit code 1: the command succeeded, and found something wrong. */
  notWell: () => void;
  /**
   * After this call Ctrl-C does not end the process: the command must stop in order when the signal is aborted. `goOn` is printed
   * then. Commands that do not call it may be ended at any moment.
   */
  interruptible: (goOn: string) => AbortSignal;
}

/** Defines a command's arguments, options, subcommands and action. */
export type Define = (command: Command, context: Context) => void;

/** A command in the list; its file is loaded on demand. */
export interface Listed {
  name: string;
  summary: string;
  load: () => Promise<{ define: Define }>;
}
