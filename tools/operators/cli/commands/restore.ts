import { resolve } from 'node:path';
import { z } from 'zod';
import { instantIn, restoreArchive } from '../../backup/backup-actions.ts';
import type { Define } from '../command.ts';
import { parseOptions, count } from '../options.ts';

const Instant = z.string().transform((text, issues) => {
  const at = instantIn(text);
  if (at !== undefined) return at;
  issues.addIssue('must be an instant with its offset, such as 2026-11-21T10:00:00Z');
  return z.NEVER;
});
const Options = z.object({
  into: z.string('is missing').min(1),
  to: Instant.optional(),
  timeline: count(1, 99_999_999).optional(),
});

export const define: Define = (command, context) => {
  command
    .option('--into <folder>', 'the data directory, which must be empty or missing')
    .option('--to <instant>', 'the instant to restore (default: the end of the archive)')
    .option('--timeline <n>', 'an abandoned timeline (default: the newest)')
    .action((given: unknown) => {
      const { into, ...rest } = parseOptions(Options, given);
      return restoreArchive(context, { into: resolve(into), ...rest });
    })
    .addHelpText(
      'after',
      `
Stop Postgres and what writes before. docs/backup.md says what comes after it.

Example:
  teaching restore --into /var/lib/postgresql/18/docker --to 2026-11-21T10:00:00Z`,
    );
};
