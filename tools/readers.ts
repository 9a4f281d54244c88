import { parseArgs } from 'node:util';
import { z } from 'zod';
import { adminBus } from '@teaching/local/nats-address.ts';
import { DEPLOY, readReaders, writeReaders } from './broker/files.ts';
import { Reader } from './broker/reader.ts';
import { LOGS, makeConsumers, newKey, removeConsumers } from './broker/reader-account.ts';

const USAGE = `Usage: npm run -s readers -- add <name> (--org <uuid> | --all-orgs) [--services clazz,course] [--audit]
       npm run -s readers -- remove <name>
       npm run -s readers -- list
       npm run -s readers -- consumers

Accounts for those outside who read events: each has a key of its own, a durable consumer of its own name in the stream of
each service, and nothing else. "add" prints the seed of the key, once. What was told before is read from the beginning
of what the stream still has. docs/subscribe.md tells readers how to go on.

"consumers" makes those of all readers anew that the broker does not have any more.

  --org       events of one organization only; --all-orgs: of all
  --services  by default all that tell events
  --audit     audit records, too
  --folder    where nats.conf, users.conf and readers.json lie (deploy)

The broker has to read its configuration again afterwards (SIGHUP, or nats-server --signal reload). Speaks to the local
system, or to the bus that NATS_URL and NATS_ADMIN_PASSWORD name.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    org: { type: 'string' },
    'all-orgs': { type: 'boolean', default: false },
    services: { type: 'string' },
    audit: { type: 'boolean', default: false },
    folder: { type: 'string', default: DEPLOY },
    help: { type: 'boolean', default: false },
  },
});
const bus = () => adminBus(process.env);

const add = async (name: string): Promise<void> => {
  const { org, 'all-orgs': all, services, audit, folder } = values;
  if ((org === undefined) !== all) throw new Error('Either --org <uuid> or --all-orgs');
  const wanted = services?.split(',');
  const unknown = wanted?.filter((one) => !LOGS.some(({ service }) => service === one)) ?? [];
  if (unknown.length > 0) throw new Error(`No service tells events as ${unknown.join(', ')}`);
  const logs = LOGS.filter(({ service, log }) => (wanted?.includes(service) ?? true) && (audit || log === 'domain'));
  const key = newKey();
  const reader = Reader.parse({ name, nkey: key.nkey, org_id: org ?? null, logs });
  const others = readReaders(folder);
  if (others.some((one) => one.name === name)) throw new Error(`There is a reader ${name} already`);
  await makeConsumers(bus(), reader);
  writeReaders(folder, [...others, reader]);
  console.log(key.seed);
  console.error(`written: ${folder}; the broker has to read it again`);
};

const remove = async (name: string): Promise<void> => {
  const readers = readReaders(values.folder);
  const reader = readers.find((one) => one.name === name);
  if (reader === undefined) throw new Error(`There is no reader ${name}`);
  await removeConsumers(bus(), reader);
  writeReaders(
    values.folder,
    readers.filter((one) => one !== reader),
  );
  console.error(`written: ${values.folder}; the broker has to read it again`);
};

const main = async (): Promise<void> => {
  const [act, name = ''] = positionals;
  if (values.help) console.log(USAGE);
  else if (act === 'add') await add(name);
  else if (act === 'remove') await remove(name);
  else if (act === 'list') {
    for (const { name: one, org_id, logs } of readReaders(values.folder)) {
      console.log([one, org_id ?? 'all organizations', logs.map(({ service, log }) => `${service} ${log}`)].join('  '));
    }
  } else if (act === 'consumers') {
    for (const reader of readReaders(values.folder)) await makeConsumers(bus(), reader);
  } else {
    console.error(USAGE);
    process.exitCode = 2;
  }
};

main().catch((error: unknown) => {
  console.error(error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
