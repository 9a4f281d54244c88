import { z } from 'zod';
import { brokerStep, writeBroker } from '../../broker/files.ts';
import { INSTALLATION_FOLDER } from '../../broker/folders.ts';
import type { Define } from '../command.ts';
import { parseOptions } from '../options.ts';

const Options = z.object({ folder: z.string().min(1) });

export const define: Define = (command, { print, note }) => {
  command
    .command('config')
    .description('Write nats.conf, nats-tls.conf and users.conf')
    .option('--folder <path>', 'where they lie, with readers.json and logins.json', INSTALLATION_FOLDER)
    .action((given: unknown) => {
      const { folder } = parseOptions(Options, given);
      const next = brokerStep(folder);
      writeBroker(folder);
      print(`written: nats.conf, nats-tls.conf, users.conf in ${folder}`);
      note(next);
    });
  command.addHelpText(
    'afterAll',
    `
Every right of a user follows from the contracts, from what services follow, and from the readers and logins of this
installation. Reload the broker afterwards: nats-server --signal reload
(Compose: docker compose exec nats nats-server --signal reload=1).

Example:
  teaching nats config --folder /etc/teaching`,
  );
};
