import { z } from 'zod';
import { LOG_KINDS, SERVICES } from '../../../libs/contracts/src/index.ts';

/** The version of files and manifest. Another version is another format. */
export const FORMAT = 'teaching-organization/1';
export const MANIFEST = 'manifest.json';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const ExportedTable = z.object({
  table: z.string().meta({ description: 'With its schema, as in `clazz.lesson`' }),
  file: z.string().regex(/^[a-z_]+\/[a-z_]+\.ndjson$/),
  rows: z.int(),
  bytes: z.int(),
  sha256: Sha256,
  key: z.array(z.string()).meta({ description: 'Lines are in the order of these columns' }),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
});
export type ExportedTable = z.output<typeof ExportedTable>;

const Place = z.object({ no: z.int(), id: z.string().nullable() });
const ExportedLog = z.object({
  service: z.enum(SERVICES),
  log: z.enum(LOG_KINDS),
  epoch: z.int(),
  head: Place.meta({ description: 'Where the log ended, of all organizations' }),
  last: Place.nullable().meta({ description: "The organization's last numbered event" }),
});

/** The description of an export: read first and written last. */
export const Manifest = z.object({
  format: z.literal(FORMAT),
  org_id: z.uuid(),
  exported_at: z.iso.datetime(),
  postgres: z.string(),
  schemas: z.record(z.enum(SERVICES), z.object({ migrations: z.array(z.string()) })),
  logs: z.array(ExportedLog),
  tables: z.array(ExportedTable),
  left_out: z.array(z.object({ table: z.string(), why: z.string() })),
  trail: z.object({
    entries: z.int(),
    hash: Sha256,
    breaks: z
      .array(z.object({ at: z.string(), epoch: z.int(), no: z.int(), on_from: z.int(), why: z.string() }))
      .meta({ description: 'What the audit log can no longer prove after its database was restored' }),
  }),
});
export type Manifest = z.output<typeof Manifest>;
