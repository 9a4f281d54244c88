import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SingleBar } from 'cli-progress';
import { z } from 'zod';
import { readConfig } from '../libs/kit/src/ops/config.ts';
import { sayWhyNot } from '../libs/kit/src/ops/say-why-not.ts';
import { adminBus } from '@teaching/local/nats-address.ts';
import { DEPLOY } from './broker/files.ts';
import { withPassword } from './migrate/provision.ts';
import { orgConfig } from './org/config.ts';
import { deleteOrg } from './org/delete.ts';
import { exportOrg } from './org/export.ts';
import { verifyExport } from './org/verify.ts';

const USAGE = `Usage: npm run -s org -- export --org <id> --to <folder>
       npm run -s org -- verify --from <folder>
       npm run -s org -- delete --org <id> --confirm <id>

Takes everything of one organization along as files, looks through such files without any database, or deletes the
organization everywhere. docs/leaving.md says what is in the files, and what stays.

  --folder  where users.conf and readers.json of the broker lie (deploy); of "delete"

Needs DATABASE_ADMIN_URL, as the migration; "delete" also NATS_URL and NATS_ADMIN_PASSWORD, or the local system's broker.
Stopped at any moment, "delete" goes on when it is run again.
Exit code: 0 done, 1 not done or not sound, 2 wrong arguments.`;

const Id = z.uuid();
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    org: { type: 'string' },
    to: { type: 'string' },
    from: { type: 'string' },
    confirm: { type: 'string' },
    folder: { type: 'string', default: DEPLOY },
    help: { type: 'boolean', default: false },
  },
});

const adminUrl = (): string => {
  const config = readConfig(orgConfig, process.env);
  return withPassword(config.DATABASE_ADMIN_URL(), config.DATABASE_ADMIN_PASSWORD?.()[0]);
};

/** A bar on a terminal, nothing elsewhere. */
const progress = () => {
  if (!process.stderr.isTTY) return { show: () => undefined, end: () => undefined };
  const bar = new SingleBar({
    format: '[{bar}] {value} of {total} tables | {table}: {rows} rows',
    stream: process.stderr,
  });
  bar.start(1, 0, { table: '', rows: 0 });
  return {
    show: ({ table, tables, of, rows }: { table: string; tables: number; of: number; rows: number }): void => {
      bar.setTotal(of);
      bar.update(tables, { table, rows });
    },
    end: (): void => bar.stop(),
  };
};

const doExport = async (org: string, to: string): Promise<void> => {
  const { show, end } = progress();
  const manifest = await exportOrg({ adminUrl: adminUrl(), org, to, onProgress: show }).finally(end);
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(
    `${rows} rows of ${manifest.tables.length} tables in ${to}; the trail has ${manifest.trail.entries} entries`,
  );
  console.log(`and ends in ${manifest.trail.hash}`);
};

const verify = async (folder: string): Promise<number> => {
  const { manifest, faults } = await verifyExport(folder);
  for (const fault of faults) console.error(fault);
  if (faults.length === 0)
    console.log(
      `${manifest.tables.length} files are as they were written; the trail of ${manifest.trail.entries} entries holds`,
    );
  return faults.length === 0 ? 0 : 1;
};

const doDelete = async (org: string, brokerFolder: string): Promise<void> => {
  const { tombstone, removed, readers, looked } = await deleteOrg({
    adminUrl: adminUrl(),
    bus: adminBus(process.env),
    org,
    brokerFolder,
    onStep: (step) => console.error(step),
  });
  for (const { where, found } of looked) console.log(`${where}: ${found}`);
  console.log(`removed: ${removed.rows} rows, ${removed.entries} entries of logs, ${removed.messages} messages`);
  if (readers.length > 0)
    console.log(`readers that are no more: ${readers.join(', ')}; the broker has to read ${brokerFolder} again`);
  console.log(`what stays: ${JSON.stringify(tombstone)}`);
};

const main = async (): Promise<number> => {
  const { org, to, from, confirm, folder, help } = values;
  const [act] = positionals;
  const isId = Id.safeParse(org).success;
  if (help) console.log(USAGE);
  else if (act === 'export' && org !== undefined && isId && to !== undefined)
    await doExport(org.toLowerCase(), resolve(to));
  else if (act === 'verify' && from !== undefined) return verify(resolve(from));
  else if (act === 'delete' && org !== undefined && isId && confirm === org) await doDelete(org.toLowerCase(), folder);
  else {
    console.error(
      act === 'delete' && isId ? 'Say the id once more by --confirm: nothing of the organization will be left.' : USAGE,
    );
    return 2;
  }
  return 0;
};

try {
  process.exitCode = await main();
} catch (error) {
  sayWhyNot('not done', error, process.env);
  process.exitCode = 1;
}
