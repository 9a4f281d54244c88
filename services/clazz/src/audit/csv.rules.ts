import type { AuditEntry } from '@teaching/contracts';
import { stringify } from 'csv-stringify/sync';

const COLUMNS = [
  'seq',
  'occurred_at',
  'actor_id',
  'actor_roles',
  'action',
  'entity',
  'entity_id',
  'reason',
  'changes',
  'request_id',
  'trace_id',
  'ip',
  'id',
  'clazz_id',
  'org_id',
  'prev_hash',
  'hash',
  'clazz_ids',
] as const;

const cell = (value: unknown): unknown => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value);

/**
 * Entries as CSV (RFC 4180). A cell that a spreadsheet would take for a formula gets an apostrophe in
 * front. `header` belongs to the first part of an export only.
 */
export const toCsv = (entries: readonly AuditEntry[], header: boolean): string =>
  stringify(
    entries.map((entry) => COLUMNS.map((column) => cell(entry[column]))),
    { header, columns: [...COLUMNS], escape_formulas: true, record_delimiter: '\r\n' },
  );
