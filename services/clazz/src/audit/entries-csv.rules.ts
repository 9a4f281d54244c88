import type { AuditEntry, OrgAuditEntry } from '@teaching/contracts';
import { csvOf } from './csv.rules.ts';

const COLUMNS = {
  seq: 'text',
  occurred_at: 'text',
  actor_id: 'text',
  actor_roles: 'text',
  action: 'text',
  entity: 'text',
  entity_id: 'text',
  reason: 'text',
  changes: 'text',
  request_id: 'text',
  trace_id: 'text',
  ip: 'text',
  id: 'text',
  clazz_id: 'text',
  org_id: 'text',
  prev_hash: 'text',
  hash: 'text',
  clazz_ids: 'text',
  texts: 'text',
} as const;

/** Entries of the trail of a class as CSV. */
export const toCsv = csvOf<AuditEntry>(COLUMNS);
/** Entries of the trail of the org: the same columns, and names. */
export const toOrgCsv = csvOf<OrgAuditEntry>({ ...COLUMNS, clazz_name: 'text', actor_name: 'text' });
