import { resolve } from 'node:path';
import { z } from 'zod';
import { adminBus } from '../../operator/bus.ts';
import { moveStreams } from '../../streams/move-streams.ts';
import type { Define } from '../command.ts';
import { flag, parseOptions } from '../options.ts';

const Options = z.object({ folder: z.string().min(1), dryRun: flag(), replace: flag(), json: flag() });

const NEXT = {
  saved: 'Next: start the broker with an account for each service, then run this again with the same folder.',
  moved: 'Next: start the services. When they work, remove the folder: it has personal data.',
} as const;

export const define: Define = (command, { env, print, note }) => {
  command
    .requiredOption('--folder <path>', 'where the streams are saved between the two runs')
    .option('--dry-run', 'describe what would be done')
    .option('--replace', 'also replace streams in the accounts that have other messages and consumers')
    .option('--json', 'what was done, as JSON')
    .addHelpText(
      'after',
      `
Run it twice, while services are stopped and outside readers cannot connect. With the single account of release 0.2.0 it
saves each stream with its consumers; nothing is changed at the broker. With an account for each service it restores
them there with the same messages, sequences and positions, and checks this. The streams of the single account stay in
the store of the broker. May be stopped at any time and run again. docs/upgrade.md has all steps; with Compose
deploy/broker-accounts.sh runs them. Uses the local system, or the broker that NATS_URL and NATS_ADMIN_PASSWORD name.

Example:
  teaching move-streams --folder /saved --dry-run`,
    )
    .action(async (given: unknown) => {
      const { folder, dryRun, replace, json } = parseOptions(Options, given);
      const options = { folder: resolve(folder), dryRun, replace, print: json ? note : print };
      const result = await moveStreams(await adminBus(env), options);
      if (json) return print(JSON.stringify(result));
      if (!dryRun) note(NEXT[result.done]);
    });
};
