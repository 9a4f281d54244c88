import type { AuditEntry } from '@teaching/contracts';
import { stringify } from 'csv-stringify/sync';

/** Every field of an entry, in the order of the columns. A new one goes to the end: readers count columns. */
const FIELDS = {
  seq: true,
  occurred_at: true,
  actor_id: true,
  actor_roles: true,
  action: true,
  entity: true,
  entity_id: true,
  reason: true,
  changes: true,
  request_id: true,
  trace_id: true,
  ip: true,
  id: true,
  clazz_id: true,
  org_id: true,
  prev_hash: true,
  hash: true,
  clazz_ids: true,
  texts: true,
} as const satisfies Record<keyof AuditEntry, true>;
const COLUMNS = Object.keys(FIELDS) as (keyof AuditEntry)[];

const cell = (value: unknown): unknown => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value);

/**
 * Entries as CSV (RFC 4180). A cell that a spreadsheet would take for a formula gets an apostrophe in
 * front. `header` belongs to the first part of an export only.
 */
export const toCsv = (entries: readonly AuditEntry[], header: boolean): string =>
  stringify(
    entries.map((entry) => COLUMNS.map((column) => cell(entry[column]))),
    { header, columns: COLUMNS, escape_formulas: true, record_delimiter: '\r\n' },
  );
