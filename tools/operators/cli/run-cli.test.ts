import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Define, Listed } from './command.ts';
import { UsageError } from './exit.ts';
import { parseOptions, count } from './options.ts';
import { runCli } from './run-cli.ts';

const Options = z.object({ size: count(1, 9), name: z.string('is missing') });

/** Test commands, with a record of the loaded ones. */
const commandsOf = (defines: Record<string, Define>) => {
  const loaded: string[] = [];
  const commands: Listed[] = Object.entries(defines).map(([name, define]) => ({
    name,
    summary: `does ${name}`,
    load: async () => {
      loaded.push(name);
      return { define };
    },
  }));
  return { commands, loaded };
};

const acting =
  (act: () => void | Promise<void>): Define =>
  (command) =>
    void command.action(act);

const run = async (defines: Record<string, Define>, ...args: string[]) => {
  const { commands, loaded } = commandsOf(defines);
  const [out, err, exits]: [string[], string[], number[]] = [[], [], []];
  const code = await runCli(commands, args, {
    env: {},
    print: (text) => out.push(text),
    note: (text) => err.push(text),
    onInterrupt: () => undefined,
    exit: (given) => exits.push(given),
  });
  return { code, out: out.join('\n'), err: err.join('\n'), loaded };
};

describe('The command line', () => {
  it('loads only the requested command', async () => {
    const defines = { one: acting(() => undefined), other: acting(() => undefined) };
    expect(await run(defines, 'one')).toMatchObject({ code: 0, loaded: ['one'] });
    expect(await run(defines, 'help', 'other')).toMatchObject({ code: 0, loaded: ['other'] });
    expect(await run(defines, '--help')).toMatchObject({ code: 0, loaded: [] });
  });

  it('shows the exit codes below every help', async () => {
    for (const args of [['--help'], ['one', '--help']])
      expect((await run({ one: acting(() => undefined) }, ...args)).out).toContain('Exit codes: 0 success');
  });

  it('ends with 2 and a suggestion when there is no such command', async () => {
    const { code, out, err } = await run({ status: acting(() => undefined) }, 'statsu');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain("unknown command 'statsu'");
    expect(err).toContain('Did you mean status?');
  });

  it('ends with 2 without a command, and shows the help', async () => {
    expect(await run({ status: acting(() => undefined) })).toMatchObject({
      code: 2,
      err: expect.stringContaining('does status'),
    });
  });

  it('ends with 2 and names every problem of the arguments', async () => {
    const define: Define = (command) =>
      void command
        .option('--size <n>', 'size', '5')
        .option('--name <n>', 'name')
        .action((given: unknown) => {
          parseOptions(Options, given);
        });
    const told = await run({ one: define }, 'one', '--size', '10');
    expect(told).toMatchObject({ code: 2, out: '' });
    expect(told.err.split('\n').slice(0, 2)).toEqual([
      '--size must be a whole number from 1 to 9',
      '--name is missing',
    ]);
    expect(await run({ one: define }, 'one', '--size', '9', '--name', 'a')).toMatchObject({ code: 0 });
    expect(await run({ one: define }, 'one', '--weight')).toMatchObject({ code: 2 });
  });

  it('ends with 1 after a finding, and with 3 after a failure', async () => {
    const failing = acting(() => {
      throw new Error('no\n answer', { cause: new Error('refused') });
    });
    const define: Define = (command, { notWell }) => void command.action(() => notWell());
    expect(await run({ one: define }, 'one')).toMatchObject({ code: 1, err: '' });
    expect(await run({ one: failing }, 'one')).toMatchObject({ code: 3, err: 'no answer: refused' });
    const refusing = acting(() => {
      throw new UsageError('none of these');
    });
    expect(await run({ one: refusing }, 'one')).toMatchObject({ code: 2 });
  });
});

/** Runs a command and interrupts it so many times once it works. Returns how it ended. */
const interrupted = async (defineOf: (begun: () => void) => Define, times: number) => {
  const begun = Promise.withResolvers<void>();
  const { commands } = commandsOf({ one: defineOf(() => begun.resolve()) });
  const [err, exits]: [string[], number[]] = [[], []];
  let press = (): void => undefined;
  const ended = runCli(commands, ['one'], {
    env: {},
    print: () => undefined,
    note: (text) => err.push(text),
    onInterrupt: (interrupt) => (press = interrupt),
    exit: (code) => exits.push(code),
  });
  await begun.promise;
  for (let n = 0; n < times; n += 1) press();
  return { ended, err, exits };
};

describe('Ctrl-C', () => {
  it('lets a command stop in order, and prints how to continue', async () => {
    let wasStopped = false;
    const define =
      (begun: () => void): Define =>
      (command, { interruptible }) =>
        void command.action(async () => {
          const stop = interruptible('Run it again.');
          begun();
          await pause(30_000, undefined, { signal: stop }).catch(() => undefined);
          wasStopped = stop.aborted;
        });
    const { ended, err, exits } = await interrupted(define, 1);
    expect(await ended).toBe(130);
    expect({ err, exits, wasStopped }).toEqual({ err: ['Run it again.'], exits: [], wasStopped: true });
  });

  it('ends any other command at once, and a command that does not stop at the second Ctrl-C', async () => {
    const deaf = Promise.withResolvers<void>();
    const plain = (begun: () => void): Define =>
      acting(() => {
        begun();
        return deaf.promise;
      });
    const slow =
      (begun: () => void): Define =>
      (command, { interruptible }) =>
        void command.action(() => {
          interruptible('Run it again.');
          begun();
          return deaf.promise;
        });
    expect((await interrupted(plain, 1)).exits).toEqual([130]);
    expect((await interrupted(slow, 2)).exits).toEqual([130]);
    deaf.resolve();
  });
});
