import { createHash } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Client, escapeIdentifier } from 'pg';
import { asAdmin, bindOwner } from './owner-session.ts';
import { exclusionReason, organizationTables } from './excluded-tables.ts';
import { type ExportedTable, FORMAT, Manifest, MANIFEST } from './manifest.ts';
import { offsetsOf, schemasOf, auditEndOf } from './log-offsets.ts';
import { type CatalogueTable, tablesOf } from './tables.ts';

/** Rows in memory at a time. */
const FETCHED = 500;

export interface ExportOptions {
  /** URL of the role that prepares the database (docs/secrets.md). */
  adminUrl: string;
  org: string;
  /** A folder that does not exist. */
  to: string;
  /** Called every so many rows; `tables` are finished. */
  onProgress?: (done: { table: string; tables: number; of: number; rows: number }) => void | Promise<void>;
}

/** Log entries also have their number and the organization's previous event. */
const NUMBERED = `left join (
  select p.seq, b.first_no + p.n - 1 as no, p.previous_id
  from log_batch as b, unnest(b.seqs, b.previous) with ordinality as p(seq, previous_id, n)) as numbered using (seq)`;

const selectOf = ({ name, columns, key }: CatalogueTable): string => {
  const isLog = name === 'log_entry';
  const list = [
    ...columns.map((one) => `t.${escapeIdentifier(one.name)}`),
    ...(isLog ? ['numbered.no', 'previous_id'] : []),
  ];
  const order =
    key.length === 0 ? 'row_to_json(t)::text' : key.map((column) => `t.${escapeIdentifier(column)}`).join(', ');
  const from = `${escapeIdentifier(name)} as t ${isLog ? NUMBERED : ''} where t.org_id = $1`;
  // A line break may stand between the tokens of stored JSON, never within one.
  return `select replace(row_to_json(line)::text, e'\\n', ' ') as line from (select ${list.join(', ')} from ${from} order by ${order}) as line`;
};

/** A file that is safely on disk once it is closed. */
const sync = async (path: string): Promise<void> => {
  const file = await open(path, 'r');
  await file.sync();
  await file.close();
};

/** Writes a table as lines of JSON through a cursor, with few rows in memory. */
const writeTable = async (
  client: Client,
  folder: string,
  org: string,
  table: CatalogueTable,
  onRows: (rows: number) => void | Promise<void> | undefined,
): Promise<ExportedTable> => {
  const { service, name, key, columns } = table;
  const file = `${service}/${name}.ndjson`;
  const path = join(folder, file);
  const out = createWriteStream(path);
  const hash = createHash('sha256');
  let rows = 0;
  const pages = async function* () {
    for (;;) {
      const page = (await client.query<{ line: string }>(`fetch ${FETCHED} from lines`)).rows;
      if (page.length === 0) return;
      const text = page.map(({ line }) => `${line}\n`).join('');
      hash.update(text);
      rows += page.length;
      yield text;
      await onRows(rows);
    }
  };
  await client.query(`declare lines no scroll cursor for ${selectOf(table)}`, [org]);
  await pipeline(pages, out);
  await client.query('close lines');
  await sync(path);
  return {
    table: `${service}.${name}`,
    file,
    rows,
    bytes: out.bytesWritten,
    sha256: hash.digest('hex'),
    key,
    columns: [
      ...columns,
      ...(name === 'log_entry'
        ? [
            { name: 'no', type: 'bigint' },
            { name: 'previous_id', type: 'uuid' },
          ]
        : []),
    ],
  };
};

const writeAll = async (client: Client, folder: string, options: ExportOptions): Promise<Manifest> => {
  const { org, onProgress } = options;
  const all = organizationTables(await tablesOf(client));
  const wanted = all.filter((table) => exclusionReason(table) === undefined);
  const tables: ExportedTable[] = [];
  for (const table of wanted) {
    await client.query('savepoint bound');
    await bindOwner(client, table.service, org);
    await mkdir(join(folder, table.service), { recursive: true });
    const told = (rows: number) =>
      onProgress?.({ table: `${table.service}.${table.name}`, tables: tables.length, of: wanted.length, rows });
    tables.push(await writeTable(client, folder, org, table, told));
    // The next reader is the admin again.
    await client.query('rollback to savepoint bound');
  }
  const [now] = (
    await client.query<{ at: string; version: string }>(
      "select to_json(now() at time zone 'UTC') #>> '{}' || 'Z' as at, current_setting('server_version') as version",
    )
  ).rows;
  return Manifest.parse({
    format: FORMAT,
    org_id: org,
    exported_at: now?.at,
    postgres: now?.version,
    schemas: await schemasOf(client),
    logs: await offsetsOf(client, org),
    tables,
    left_out: all.flatMap((table) => {
      const why = exclusionReason(table);
      return why === undefined ? [] : [{ table: `${table.service}.${table.name}`, why }];
    }),
    trail: await auditEndOf(client, org),
  });
};

/**
 * Exports an organization into a folder, as of one moment, beside live traffic. The folder gets its name at the end; the next run
 * removes what an interrupted one left behind (`<to>.part`).
 */
export const exportOrg = async (options: ExportOptions): Promise<Manifest> => {
  const { adminUrl, to } = options;
  if (existsSync(to)) throw new Error(`${to} is there already`);
  const part = `${to}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  const manifest = await asAdmin(adminUrl, async (client) => {
    await client.query('begin transaction isolation level repeatable read, read only');
    const written = await writeAll(client, part, options);
    await client.query('commit');
    return written;
  });
  const path = join(part, MANIFEST);
  await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`);
  await sync(path);
  await rename(part, to);
  await sync(dirname(to));
  return manifest;
};
