import { z } from 'zod';
import { migrateAll } from '../../../migrate.ts';
import type { Define } from '../command.ts';
import { parseOptions, flag } from '../options.ts';

const Options = z.object({ json: flag() });

export const define: Define = (command, { env, print, note }) => {
  command
    .option('--json', 'what was done, as JSON')
    .addHelpText(
      'after',
      `
As a superuser or a role with a few rights (docs/secrets.md), and with NATS_URL and a login of its admin the streams, too.
Run it before a new version starts. Run again, it renews the passwords and applies what is pending: what it was stopped in
has happened whole or not at all. Reads DATABASE_ADMIN_URL, DATABASE_ADMIN_PASSWORD and for each role CLAZZ_APP_PASSWORD
and so on, each also as <NAME>_FILE.

Example:
  DATABASE_ADMIN_URL=postgres://postgres:…@db:5432/teaching … teaching migrate`,
    )
    .action(async (given: unknown) => {
      const { json } = parseOptions(Options, given);
      const done = await migrateAll(env, json ? note : print);
      if (json) print(JSON.stringify(done));
    });
};
