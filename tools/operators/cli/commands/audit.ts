import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { ID } from '../../../../libs/contracts/src/scalars.ts';
import { trailAsCsv } from '../../audit/export.ts';
import { openAuditReader, type AuditReader } from '../../audit/audit-reader.ts';
import { headsOf, type Verified, verifyOrg } from '../../audit/verify.ts';
import type { Context, Define } from '../command.ts';
import { parseOptions, flag } from '../options.ts';
import { startProgress } from '../progress.ts';

const VerifyOptions = z.object({ org: ID.optional(), json: flag() });
const ExportOptions = z.object({ org: z.string('is missing').pipe(ID), to: z.string().min(1).optional() });

const withReading = async <T>(context: Context, work: (reading: AuditReader) => Promise<T>): Promise<T> => {
  const reading = await openAuditReader(context.env);
  try {
    return await work(reading);
  } finally {
    await reading.close();
  }
};

const lineOf = ({ org_id, entries, head, first_broken: broken }: Verified): string =>
  broken === undefined
    ? `${org_id}: ${entries} entries, ends in ${head}`
    : `${org_id}: BROKEN at entry ${broken.seq}: ${broken.why}`;

/** The requested chains, and the number of their entries in total. */
const wanted = async (reading: AuditReader, org: string | undefined): Promise<{ orgs: string[]; entries: number }> => {
  const heads = [];
  for await (const head of headsOf(reading)) if (org === undefined || head.org_id === org) heads.push(head);
  const orgs = heads.map(({ org_id }) => org_id);
  return { orgs: org === undefined ? orgs : [org], entries: heads.reduce((sum, one) => sum + one.entries, 0) };
};

const verify = (options: z.output<typeof VerifyOptions>, context: Context): Promise<void> =>
  withReading(context, async (reading) => {
    const stop = context.interruptible(
      'Not all was verified. Nothing was changed; run it again, or with --org for one.',
    );
    const { orgs, entries } = await wanted(reading, options.org);
    const bar = startProgress('verified', 'entries');
    let done = 0;
    const all: Verified[] = [];
    try {
      for (const org_id of orgs) {
        const found = await verifyOrg(reading, org_id, (count) => bar.show((done += count), entries), stop);
        if (stop.aborted) return;
        all.push(found);
      }
    } finally {
      bar.end();
    }
    const broken = all.filter(({ first_broken }) => first_broken !== undefined);
    if (broken.length > 0) context.notWell();
    if (options.json) return context.print(JSON.stringify({ orgs: all }));
    for (const one of all) context.print(lineOf(one));
    context.print(`${all.length} chains, ${broken.length} broken.`);
  });

const defineVerify: Define = (command, context) => {
  command
    .command('verify')
    .description('Recompute the hash chain of one or all organizations, and the digest of each text')
    .option('--org <uuid>', 'one organization (default: all)')
    .option('--json', 'the last hash of each chain, as JSON')
    .action((given: unknown) => verify(parseOptions(VerifyOptions, given), context));
};

/** Writes a file completely or not at all. */
const intoFile = async (path: string, parts: AsyncIterable<{ csv: string }>, stop: AbortSignal): Promise<void> => {
  const half = `${path}.part`;
  const file = openSync(half, 'w', 0o600);
  try {
    for await (const { csv } of parts) {
      if (stop.aborted) return;
      writeFileSync(file, csv);
    }
    renameSync(half, path);
  } finally {
    closeSync(file);
    rmSync(half, { force: true });
  }
};

const exportOne = ({ org, to }: z.output<typeof ExportOptions>, context: Context): Promise<void> =>
  withReading(context, async (reading) => {
    const parts = trailAsCsv(reading.ofOrg(org));
    if (to === undefined) {
      for await (const { csv } of parts) context.print(csv.replace(/\r\n$/, '\r'));
      return;
    }
    const stop = context.interruptible(`Nothing was written to ${to}; run it again.`);
    await intoFile(to, parts, stop);
    if (!stop.aborted) context.note(`written: ${to}`);
  });

const defineExport: Define = (command, context) => {
  command
    .command('export')
    .description('Write the audit log of one organization as CSV, oldest entry first')
    .option('--org <uuid>', 'the organization')
    .option('--to <file>', 'the file, readable for its owner only (default: stdout)')
    .action((given: unknown) => exportOne(parseOptions(ExportOptions, given), context));
};

export const define: Define = (command, context) => {
  command.addHelpText(
    'afterAll',
    `
Reads the database of the class service with the logins of that service (DATABASE_URL, WORKER_DATABASE_URL and their
passwords), else that of the local system; changes nothing, and needs no service to run. Keep what "verify" says a chain ends
in elsewhere: with it, entries cut off its end are noticed. What the trail cannot prove after a database was put back stands
in the answer of /api/v1/clazz/audit-log/verify. With code 1 a chain is broken.

Examples:
  teaching audit verify
  teaching audit export --org 01900000-0000-7000-8000-000000000001 --to trail.csv`,
  );
  for (const part of [defineVerify, defineExport]) part(command, context);
};
