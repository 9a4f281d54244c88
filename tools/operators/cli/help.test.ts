import { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Context } from './command.ts';
import { COMMANDS } from './commands/index.ts';
import { runCli } from './run-cli.ts';

const context: Context = {
  env: {},
  print: () => undefined,
  note: () => undefined,
  notWell: () => undefined,
  interruptible: () => new AbortController().signal,
};

/** Commands without a JSON answer, and why. */
const WITHOUT_JSON: Readonly<Record<string, string>> = {
  health: 'its exit code is the answer',
  'audit export': 'it writes CSV',
  'backup run': 'its lines are JSON',
  'backup list': 'its lines are JSON',
  restore: 'its answer is JSON',
  'readers add': 'it prints one seed',
  'readers remove': 'it answers nothing',
  'readers consumers': 'it answers nothing',
  'logins add': 'it prints one seed',
  'logins remove': 'it answers nothing',
  'logins password': 'it answers nothing',
  'nats config': 'it writes files',
  token: 'it prints one token',
};

/** The commands that act, by their full names: those without subcommands. */
const leaves = new Map<string, Command>();
const collect = (command: Command, path: string): void => {
  if (command.commands.length === 0) leaves.set(path, command);
  for (const below of command.commands) collect(below, `${path} ${below.name()}`);
};
beforeAll(async () => {
  for (const { name, load } of COMMANDS) {
    const command = new Command(name);
    (await load()).define(command, context);
    collect(command, name);
  }
}, 60_000);

const helpOf = async (path: string): Promise<string> => {
  const out: string[] = [];
  const print = (text: string): void => void out.push(text);
  const around = { env: {}, print, note: print, onInterrupt: () => undefined, exit: () => undefined };
  expect(await runCli(COMMANDS, [...path.split(' '), '--help'], around)).toBe(0);
  return out.join('\n');
};

/** The examples of a help text, trimmed. */
const examplesIn = (help: string): string[] =>
  (help.split(/^Examples?:$/m)[1] ?? '')
    .split('\n')
    .flatMap((line) => /^ .*\bteaching ([^|]+)/.exec(line)?.[1]?.trim() ?? []);

describe('The help', { timeout: 30_000 }, () => {
  it.each(COMMANDS)('of $name has its summary', async ({ name, summary }) => {
    expect(await helpOf(name)).toContain(`${summary}.`);
  });

  it('of every command has an example with existing options', async () => {
    const seen: string[] = [];
    for (const [path, command] of leaves) {
      const own = examplesIn(await helpOf(path)).filter((line) => `${line} `.startsWith(`${path} `));
      const known = command.options.map(({ long }) => long);
      for (const example of own)
        for (const [option] of example.matchAll(/(?<= )--[a-z-]+/g)) expect(known, example).toContain(option);
      if (own.length > 0) seen.push(path);
    }
    expect(seen).toEqual([...leaves.keys()]);
    expect(leaves.size).toBeGreaterThan(30);
  });

  it('of every command has --json, except the listed ones', () => {
    const without = [...leaves].filter(([, { options }]) => options.every(({ long }) => long !== '--json'));
    expect(without.map(([path]) => path).toSorted()).toEqual(Object.keys(WITHOUT_JSON).toSorted());
  });
});
