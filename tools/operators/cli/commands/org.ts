import { resolve } from 'node:path';
import { z } from 'zod';
import { ID } from '../../../../libs/contracts/src/scalars.ts';
import { readConfig } from '../../../../libs/kit/src/ops/config.ts';
import { INSTALLATION_FOLDER } from '../../broker/folders.ts';
import { withPassword } from '../../migrate/provision.ts';
import { adminBus } from '../../operator/bus.ts';
import { orgConfig } from '../../org/config.ts';
import { deleteOrg } from '../../org/delete-organization.ts';
import { exportOrg } from '../../org/export-organization.ts';
import { verifyExport } from '../../org/verify-export.ts';
import type { Context, Define } from '../command.ts';
import { parseOptions, flag } from '../options.ts';
import { startProgress } from '../progress.ts';

const Org = z.string('is missing').pipe(ID);
const Folder = z.string('is missing').min(1);
const ExportOptions = z.object({ org: Org, to: Folder, json: flag() });
const VerifyOptions = z.object({ from: Folder, json: flag() });
const DeleteOptions = z
  .object({ org: Org, confirm: z.string().optional(), folder: Folder.default(INSTALLATION_FOLDER), json: flag() })
  .refine(({ org, confirm }) => confirm === org, {
    path: ['confirm'],
    error: 'must repeat the id: nothing of the organization will remain',
  });

const adminUrl = ({ env }: Context): string => {
  const config = readConfig(orgConfig, env);
  return withPassword(config.DATABASE_ADMIN_URL(), config.DATABASE_ADMIN_PASSWORD?.()[0]);
};

const doExport = async ({ org, to, json }: z.output<typeof ExportOptions>, context: Context): Promise<void> => {
  const bar = startProgress('exported', 'tables');
  const { tables, trail } = await exportOrg({
    adminUrl: adminUrl(context),
    org,
    to: resolve(to),
    onProgress: (at) => bar.show(at.tables, at.of),
  }).finally(bar.end);
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  if (json) {
    const { entries, hash } = trail;
    return context.print(
      JSON.stringify({ folder: resolve(to), tables: tables.length, rows, trail: { entries, hash } }),
    );
  }
  context.print(`${rows} rows of ${tables.length} tables in ${to}`);
  context.print(`the audit log has ${trail.entries} entries and ends in ${trail.hash}`);
};

const doVerify = async ({ from, json }: z.output<typeof VerifyOptions>, context: Context): Promise<void> => {
  const { manifest, faults } = await verifyExport(resolve(from));
  if (faults.length > 0) context.notWell();
  const { org_id, exported_at, tables, trail } = manifest;
  if (json) {
    const { entries, hash } = trail;
    return context.print(
      JSON.stringify({ org_id, exported_at, files: tables.length, trail: { entries, hash }, faults }),
    );
  }
  for (const fault of faults) context.print(fault);
  if (faults.length === 0)
    context.print(`${tables.length} files are unchanged; the chain of ${trail.entries} entries holds`);
};

const doDelete = async ({ org, folder, json }: z.output<typeof DeleteOptions>, context: Context): Promise<void> => {
  const deleted = await deleteOrg({
    adminUrl: adminUrl(context),
    bus: await adminBus(context.env),
    org,
    brokerFolder: folder,
    onStep: context.note,
  });
  if (json) return context.print(JSON.stringify(deleted));
  const { tombstone, removed, readers, looked } = deleted;
  for (const { where, found } of looked) context.print(`${where}: ${found}`);
  context.print(`removed: ${removed.rows} rows, ${removed.entries} entries of logs, ${removed.messages} messages`);
  if (readers.length > 0)
    context.print(`removed readers: ${readers.join(', ')}; reload the broker's configuration in ${folder}`);
  context.print(`remains: ${JSON.stringify(tombstone)}`);
};

export const define: Define = (command, context) => {
  command
    .command('export')
    .description('Export one organization as files')
    .option('--org <uuid>', 'the organization')
    .option('--to <folder>', 'a folder that does not exist')
    .option('--json', 'what was written, as JSON')
    .action((given: unknown) => doExport(parseOptions(ExportOptions, given), context));
  command
    .command('verify')
    .description('Verify exported files and their audit log, without a database')
    .option('--from <folder>', 'the exported folder')
    .option('--json', 'the verified files and their faults, as JSON')
    .action((given: unknown) => doVerify(parseOptions(VerifyOptions, given), context));
  command
    .command('delete')
    .description('Delete one organization everywhere, and search for remains')
    .option('--org <uuid>', 'the organization')
    .option('--confirm <uuid>', 'its id again')
    .option('--folder <folder>', 'where users.conf and readers.json of the broker lie (deploy/nats/installation)')
    .option('--json', 'the removed rows, the searched places, and what remains, as JSON')
    .action((given: unknown) => doDelete(parseOptions(DeleteOptions, given), context));
  command.addHelpText(
    'afterAll',
    `
Needs DATABASE_ADMIN_URL, as the migration; "delete" also NATS_URL and NATS_ADMIN_PASSWORD, or the local system's broker.
Run an interrupted command again: an export starts from the beginning, a deletion continues. docs/leaving.md describes files and remains.

Examples:
  teaching org export --org 01900000-0000-7000-8000-000000000001 --to /backup/school
  teaching org verify --from /backup/school
  teaching org delete --org 01900000-0000-7000-8000-000000000001 --confirm 01900000-0000-7000-8000-000000000001`,
  );
};
