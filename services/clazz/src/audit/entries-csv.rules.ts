import type { AuditEntry } from '@teaching/contracts';
import { csvOf } from './csv.rules.ts';

/** Entries of the trail as CSV. */
export const toCsv = csvOf<AuditEntry>({
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
});
