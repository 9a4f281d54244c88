import type { OrgAuditEntry } from '@teaching/contracts';
import { csvWriter } from '@teaching/kit';

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
  clazz_name: 'text',
  actor_name: 'text',
  clazz_names: 'text',
} as const;

/** Writes entries of the trail as CSV, of a class or of the org. */
export const writeEntries = csvWriter<OrgAuditEntry>(COLUMNS);
