import type { Command } from 'commander';
import { z } from 'zod';
import { BROKER_USERS } from '../../../../libs/contracts/src/index.ts';
import { brokerStep, readLogins, writeLogins } from '../../broker/files.ts';
import { INSTALLATION_FOLDER } from '../../broker/folders.ts';
import { withUserLogin, type Login, loginOf } from '../../broker/user-login.ts';
import { newKey } from '../../broker/reader-account.ts';
import type { Context, Define } from '../command.ts';
import { UsageError } from '../exit.ts';
import { parseOptions, flag } from '../options.ts';

const User = z.enum(BROKER_USERS, `must be one of ${BROKER_USERS.join(', ')}`);
const Options = z.object({ user: User, folder: z.string().min(1) });
const ListOptions = z.object({ folder: z.string().min(1), json: flag() });

const folderOption = (command: Command): Command =>
  command.option('--folder <path>', 'where nats.conf, users.conf and logins.json lie', INSTALLATION_FOLDER);

/** The named user and its current login. */
const named = (user: string, given: object): { folder: string; login: Login } => {
  const options = parseOptions(Options, { ...given, user });
  return { folder: options.folder, login: loginOf(options.user, readLogins(options.folder)) };
};

const save = (folder: string, login: Login, { note }: Context): void => {
  const next = brokerStep(folder);
  writeLogins(folder, withUserLogin(readLogins(folder), login));
  note(`written: ${folder}; ${next}`);
};

const defineAdd: Define = (command, context) => {
  folderOption(command.command('add <user>'))
    .description('Create a key for a user and print its seed once: the value of NATS_NKEY_SEED of that user')
    .action((user: string, given: object) => {
      const { folder, login } = named(user, given);
      const { nkey, seed } = newKey();
      save(folder, { ...login, nkeys: [...login.nkeys, nkey] }, context);
      context.print(seed);
    });
};

const defineRemove: Define = (command, context) => {
  folderOption(command.command('remove <user> <public-key>'))
    .description('Take a key away from a user')
    .action((user: string, nkey: string, given: object) => {
      const { folder, login } = named(user, given);
      if (!login.nkeys.includes(nkey)) throw new UsageError(`${login.user} has no such key`);
      save(folder, { ...login, nkeys: login.nkeys.filter((one) => one !== nkey) }, context);
    });
};

const definePassword: Define = (command, context) => {
  folderOption(command.command('password <user> <on|off>'))
    .description('Allow or forbid the login of a user by password')
    .action((user: string, word: string, given: object) => {
      if (!['on', 'off'].includes(word)) throw new UsageError(`on or off, not ${word}`);
      const { folder, login } = named(user, given);
      save(folder, { ...login, password: word === 'on' }, context);
    });
};

const defineList: Define = (command, { print }) => {
  folderOption(command.command('list'))
    .description('List the logins of each user')
    .option('--json', 'as JSON')
    .action((given: unknown) => {
      const { folder, json } = parseOptions(ListOptions, given);
      const logins = readLogins(folder);
      const all = BROKER_USERS.map((user) => loginOf(user, logins));
      if (json) return print(JSON.stringify(all));
      for (const { user, nkeys, password } of all)
        print([user, ...(password ? ['password'] : []), ...nkeys].join('  '));
    });
};

export const define: Define = (command, context) => {
  command.addHelpText(
    'afterAll',
    `
Users: ${BROKER_USERS.join(', ')}. A user may have several keys while one is exchanged (docs/secrets.md). The broker has to read
its configuration again afterwards, by nats-server --signal reload (Compose: docker compose exec nats nats-server --signal reload=1):
clients whose login was removed are disconnected then.

Examples:
  teaching logins add clazz
  teaching logins remove clazz UB…
  teaching logins password clazz off
  teaching logins list`,
  );
  for (const part of [defineAdd, defineRemove, definePassword, defineList]) part(command, context);
};
