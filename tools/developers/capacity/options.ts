import { Command, InvalidArgumentError } from 'commander';
import { ASSUMPTIONS, NAMES, type Profile, profileWith } from './demand.ts';
import { flagOf } from './report.ts';

export interface Options {
  orgs: number[];
  json: boolean;
  page: boolean;
  profile: Profile;
}

const positive = (text: string): number => {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0) || value === Infinity)
    throw new InvalidArgumentError('a number above 0 is needed');
  return value;
};

const MOST_ORGS = 10_000_000;
const counts = (text: string): number[] =>
  text.split(',').map((part) => {
    const count = positive(part);
    if (!Number.isInteger(count) || count > MOST_ORGS)
      throw new InvalidArgumentError(`whole numbers from 1 to ${MOST_ORGS} are needed`);
    return count;
  });

const given = (values: Record<string, unknown>): Partial<Profile> =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = values[name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];
      return typeof value === 'number' ? [[name, value]] : [];
    }),
  );

/** Reads the arguments. Prints help, or an error, and ends the process in these cases. */
export const readOptions = (args: readonly string[], command = new Command('npm run capacity --')): Options => {
  command
    .description('Computes the size of a system for a number of organizations, from measured figures and assumptions.')
    .option('--orgs <list>', 'how many organizations, by comma', counts, [10, 1_000, 100_000])
    .option('--json', 'as JSON', false)
    .option('--page', 'writes the tables of docs/capacity.md', false)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .optionsGroup('Assumptions:')
    .configureHelp({ helpWidth: 120 })
    .addHelpText(
      'after',
      '\nExamples:\n  npm run capacity -- --orgs 100000\n  npm run capacity -- --orgs 500 --students 1200 --class-size 30 --lessons 25',
    );
  for (const name of NAMES)
    command.option(`${flagOf(name)} <n>`, `${ASSUMPTIONS[name].about} (${ASSUMPTIONS[name].value})`, positive);
  command.parse(args, { from: 'user' });
  const { orgs, json, page, ...others } = command.opts<Pick<Options, 'orgs' | 'json' | 'page'>>();
  return { orgs, json, page, profile: profileWith(given(others)) };
};
