import type { Command } from 'commander';
import { z } from 'zod';
import { ID } from '../../../../libs/contracts/src/scalars.ts';
import { brokerStep, readReaders, writeReaders } from '../../broker/files.ts';
import { INSTALLATION_FOLDER } from '../../broker/folders.ts';
import { LOGS, makeConsumers, newKey, removeConsumers } from '../../broker/reader-account.ts';
import { Reader } from '../../broker/outside-reader.ts';
import { adminBus } from '../../operator/bus.ts';
import type { Context, Define } from '../command.ts';
import { UsageError } from '../exit.ts';
import { parseOptions, flag } from '../options.ts';

const isLog = (name: string): boolean => LOGS.some(({ service }) => service === name);

const Folder = z.object({ folder: z.string().min(1) });
const AddOptions = Folder.extend({
  org: ID.optional(),
  allOrgs: flag(),
  services: z
    .string()
    .transform((list) => list.split(','))
    .refine((list) => list.every(isLog), 'must be services that publish events, separated by commas')
    .optional(),
  audit: flag(),
}).refine(({ org, allOrgs }) => (org === undefined) === allOrgs, {
  path: ['org'],
  error: 'is required, or --all-orgs, but not both',
});
const ListOptions = Folder.extend({ json: flag() });

const folderOption = (command: Command): Command =>
  command.option('--folder <path>', 'where nats.conf, users.conf and readers.json lie', INSTALLATION_FOLDER);

const written = (folder: string, readers: readonly Reader[], { note }: Context): void => {
  const next = brokerStep(folder);
  writeReaders(folder, readers);
  note(`written: ${folder}; ${next}`);
};

const RELOAD_TWICE =
  'Reload the broker twice: the new account can use its consumers from the second reload on. Until then they answer 503.';

const add = async (name: string, options: z.output<typeof AddOptions>, context: Context): Promise<void> => {
  const { org, services, audit, folder } = options;
  const logs = LOGS.filter(({ service, log }) => (services?.includes(service) ?? true) && (audit || log === 'domain'));
  const { nkey, seed } = newKey();
  const parsed = Reader.safeParse({ name, nkey, org_id: org ?? null, logs });
  if (!parsed.success) throw new UsageError(z.prettifyError(parsed.error));
  const others = readReaders(folder);
  if (others.some((one) => one.name === name)) throw new UsageError(`A reader ${name} exists already`);
  await makeConsumers(await adminBus(context.env), parsed.data);
  written(folder, [...others, parsed.data], context);
  context.note(RELOAD_TWICE);
  context.print(seed);
};

const defineAdd: Define = (command, context) => {
  folderOption(command.command('add <name>'))
    .description('Create an account and print the seed of its key once')
    .option('--org <uuid>', 'events of one organization only')
    .option('--all-orgs', 'of all organizations')
    .option('--services <list>', 'separated by commas (default: all that publish events)')
    .option('--audit', 'audit records too')
    .action((name: string, given: unknown) => add(name, parseOptions(AddOptions, given), context));
};

const defineRemove: Define = (command, context) => {
  folderOption(command.command('remove <name>'))
    .description('Remove an account and its consumers')
    .action(async (name: string, given: unknown) => {
      const { folder } = parseOptions(Folder, given);
      const readers = readReaders(folder);
      const reader = readers.find((one) => one.name === name);
      if (reader === undefined) throw new UsageError(`There is no reader ${name}`);
      await removeConsumers(await adminBus(context.env), reader);
      const left = readers.filter((one) => one !== reader);
      written(folder, left, context);
    });
};

const defineList: Define = (command, { print }) => {
  folderOption(command.command('list'))
    .description('List the readers and their logs')
    .option('--json', 'as JSON')
    .action((given: unknown) => {
      const { folder, json } = parseOptions(ListOptions, given);
      const readers = readReaders(folder);
      if (json) return print(JSON.stringify(readers));
      for (const { name, org_id, logs } of readers)
        print([name, org_id ?? 'all organizations', logs.map(({ service, log }) => `${service} ${log}`)].join('  '));
    });
};

const defineConsumers: Define = (command, context) => {
  folderOption(command.command('consumers'))
    .description('Create the consumers of all readers that the broker has lost')
    .action(async (given: unknown) => {
      for (const reader of readReaders(parseOptions(Folder, given).folder))
        await makeConsumers(await adminBus(context.env), reader);
    });
};

export const define: Define = (command, context) => {
  command.addHelpText(
    'afterAll',
    `
Each has a key of its own, a durable consumer of its own name in the stream of each service, and nothing else. What was told
before is read from the beginning of what the stream still has. docs/subscribe.md tells readers how to go on. "add" and
"remove" may be stopped at any time and run again. Reload the broker afterwards, twice after "add", by
nats-server --signal reload (Compose: docker compose exec nats nats-server --signal reload=1). Speaks to the local system, or to the bus that NATS_URL and NATS_ADMIN_PASSWORD name.

Examples:
  teaching readers add warehouse --org 0199f0a0-0000-7000-8000-000000000001
  teaching readers add lake --all-orgs --services clazz,course --audit
  teaching readers remove warehouse
  teaching readers list --json
  teaching readers consumers`,
  );
  for (const part of [defineAdd, defineRemove, defineList, defineConsumers]) part(command, context);
};
