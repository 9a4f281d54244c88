import { keep, list, takeNow, verify } from '../../backup/acts.ts';
import type { Define } from '../command.ts';

export const define: Define = (command, context) => {
  command
    .command('run')
    .description('Keep the archive up to date: the log as it comes, a base backup every day')
    .action(() => keep(context, context.interruptible('Run it again: it goes on where it stopped.')));
  command
    .command('now')
    .description('Make a base backup beside those')
    .action(() => takeNow(context));
  command
    .command('list')
    .description('What base backups there are, and up to when the archive has everything, as lines of JSON')
    .action(() => list(context));
  command
    .command('verify')
    .description('Read every base backup, and look whether its log is complete')
    .action(async () => {
      if (!(await verify(context))) context.notWell();
    });
  command.addHelpText(
    'after',
    `
Needs BACKUP_ARCHIVE and libpq's variables (PGHOST and the like); docs/backup.md has all of them.

Examples:
  teaching backup list
  teaching backup verify`,
  );
};
