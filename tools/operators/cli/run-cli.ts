import { Command, CommanderError } from 'commander';
import type { Env } from '../../../libs/kit/src/ops/config-error.ts';
import { oneLine } from '../../../libs/kit/src/ops/print-start-error.ts';
import type { Context, Listed } from './command.ts';
import { EXIT, EXIT_CODES, UsageError } from './exit.ts';

/** The outputs of a run, and its interruption. */
export interface CliEnvironment {
  env: Env;
  print: (text: string) => void;
  note: (text: string) => void;
  /** Calls `interrupt` at Ctrl-C. */
  onInterrupt: (interrupt: () => void) => void;
  /** Ends the process at once. */
  exit: (code: number) => void;
}

const LOOKS_LIKE_A_NAME = /^[a-z]/;

/** The message of an error: one line for each wrong setting. */
const whyNot = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'ConfigError') return error.message;
  const { cause, message } = error;
  return oneLine(cause instanceof Error && !message.includes(cause.message) ? `${message}: ${cause.message}` : message);
};

/** Ctrl-C ends the process, unless the command stops in order; then a second Ctrl-C does. */
const interruptions = ({ onInterrupt, exit }: CliEnvironment) => {
  const stop = new AbortController();
  let goOn: string | undefined;
  onInterrupt(() => {
    if (goOn === undefined || stop.signal.aborted) exit(EXIT.interrupted);
    stop.abort();
  });
  return {
    interruptible: (said: string): AbortSignal => {
      goOn = said;
      return stop.signal;
    },
    /** The text to print after an interruption, if there was one. */
    interrupted: (): string | undefined => (stop.signal.aborted ? goOn : undefined),
  };
};

/** Builds the program. Only the requested command is loaded. */
const programOf = async (commands: readonly Listed[], asked: string | undefined, context: Context) => {
  const program = new Command('teaching')
    .description('Commands for operators of the system.')
    .showHelpAfterError('(see --help)')
    .configureHelp({ sortSubcommands: false, helpWidth: 120 })
    .configureOutput({
      writeOut: (text) => context.print(text.trimEnd()),
      writeErr: (text) => context.note(text.trimEnd()),
    })
    .exitOverride()
    .addHelpText('afterAll', `\n${EXIT_CODES}`);
  for (const { name, summary, load } of commands) {
    const command = program.command(name).summary(summary).description(`${summary}.`);
    if (name === asked) (await load()).define(command, context);
  }
  return program;
};

/** Runs the command that the arguments name. Returns its exit code. */
export const runCli = async (
  commands: readonly Listed[],
  args: readonly string[],
  around: CliEnvironment,
): Promise<number> => {
  const { env, print, note } = around;
  const { interruptible, interrupted } = interruptions(around);
  let code: number = EXIT.done;
  const context: Context = { env, print, note, interruptible, notWell: () => (code = EXIT.notWell) };
  // `help status` is `status --help`.
  const [first, second] = args.filter((one) => LOOKS_LIKE_A_NAME.test(one));
  const program = await programOf(commands, first === 'help' ? second : first, context);
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (error instanceof UsageError) {
      note(`${error.message}\n(see --help)`);
      return EXIT.usage;
    }
    if (interrupted() === undefined) {
      note(whyNot(error));
      return EXIT.failed;
    }
  }
  const said = interrupted();
  if (said === undefined) return code;
  if (said !== '') note(said);
  return EXIT.interrupted;
};
