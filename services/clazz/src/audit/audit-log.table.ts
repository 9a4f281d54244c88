import { AUDIT_ACTIONS, AUDIT_ENTITIES, type AuditEntry, type Role } from '@teaching/contracts';
import { bigint, instant, p, table, uuids } from '@teaching/kit';
import type { TextRef } from './texts.rules.ts';

/** The trail, without its texts: one hash chain for each org. Nobody changes or removes an entry. */
export const AUDIT_LOG = table('clazz_audit_log', {
  org_id: p.uuid().primary(),
  seq: bigint().primary(),
  id: p.uuid(),
  /** None for a list that showed something of several classes. */
  clazz_id: p.uuid().nullable(),
  action: p.enum(AUDIT_ACTIONS),
  entity: p.enum(AUDIT_ENTITIES),
  entity_id: p.text(),
  actor_id: p.text(),
  actor_roles: p.array<Role>(),
  occurred_at: instant(),
  request_id: p.text(),
  trace_id: p.text(),
  ip: p.text().nullable(),
  reason: p.text().nullable(),
  changes: p.json<AuditEntry['changes']>(),
  event_id: p.uuid(),
  prev_hash: p.text(),
  hash: p.text(),
  clazz_ids: uuids().nullable(),
  texts: p.json<TextRef[]>().nullable(),
});
