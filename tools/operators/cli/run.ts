import { Command, CommanderError } from 'commander';
import type { Env } from '../../../libs/kit/src/ops/config-error.ts';
import { oneLine } from '../../../libs/kit/src/ops/say-why-not.ts';
import type { Context, Listed } from './command.ts';
import { EXIT, EXIT_CODES, UsageError } from './exit.ts';

/** Where a run speaks to, and who interrupts it. */
export interface Surroundings {
  env: Env;
  print: (text: string) => void;
  note: (text: string) => void;
  /** Has `interrupt` called at Ctrl-C. */
  onInterrupt: (interrupt: () => void) => void;
  /** Ends the process at once. */
  exit: (code: number) => void;
}

const LOOKS_LIKE_A_NAME = /^[a-z]/;

/** Wrong settings are a line each; anything else is one. */
const whyNot = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'ConfigError') return error.message;
  const { cause, message } = error;
  return oneLine(cause instanceof Error && !message.includes(cause.message) ? `${message}: ${cause.message}` : message);
};

/** Ctrl-C ends the process, unless the command stops in order; then a second one does. */
const interruptions = ({ onInterrupt, exit }: Surroundings) => {
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
    /** What to say of an interruption, if there was one. */
    interrupted: (): string | undefined => (stop.signal.aborted ? goOn : undefined),
  };
};

/** The whole tool; only the command that is asked for is loaded. */
const programOf = async (commands: readonly Listed[], asked: string | undefined, context: Context) => {
  const program = new Command('teaching')
    .description('What an operator does with the system.')
    .showHelpAfterError('(--help says more)')
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

/** Runs the command that the arguments name; answers its exit code. */
export const runCli = async (
  commands: readonly Listed[],
  args: readonly string[],
  around: Surroundings,
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
      note(`${error.message}\n(--help says more)`);
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
