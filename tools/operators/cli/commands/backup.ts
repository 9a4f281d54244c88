import { keepArchive, listBases, takeBaseNow, verifyArchive } from '../../backup/backup-actions.ts';
import { z } from 'zod';
import type { Context, Define } from '../command.ts';
import { parseOptions, flag } from '../options.ts';

const Options = z.object({ json: flag() });

const verifyAll = async (json: boolean, context: Context): Promise<void> => {
  const faults: string[] = [];
  const sound = await verifyArchive(json ? { ...context, note: (fault) => faults.push(fault) } : context);
  if (!sound) context.notWell();
  if (json) context.print(JSON.stringify({ sound, faults: sound ? [] : faults }));
};

export const define: Define = (command, context) => {
  command
    .command('run')
    .description('Keep the archive up to date: the log continuously, a base backup every day')
    .action(() => keepArchive(context, context.interruptible('Run it again: it goes on where it stopped.')));
  command
    .command('now')
    .description('Make a base backup beside the daily ones')
    .option('--json', 'its name and size, as JSON')
    .action(async (given: unknown) => {
      const { json } = parseOptions(Options, given);
      const made = await takeBaseNow(context);
      if (json) context.print(JSON.stringify(made));
    });
  command
    .command('list')
    .description('List the base backups, and the instant up to which the archive is complete, as lines of JSON')
    .action(() => listBases(context));
  command
    .command('verify')
    .description('Read every base backup, and check that its log is complete')
    .option('--json', 'the result and the faults, as JSON')
    .action((given: unknown) => verifyAll(parseOptions(Options, given).json, context));
  command.addHelpText(
    'afterAll',
    `
Needs BACKUP_ARCHIVE and libpq's variables (PGHOST and the like); docs/backup.md has all of them.

Examples:
  teaching backup run
  teaching backup now
  teaching backup list
  teaching backup verify`,
  );
};
