import { AUDIT_ACTIONS, AUDIT_ENTITIES, type AuditEntry, type Role } from '@teaching/contracts';
import { bigint, instant, p, table, texts, uuids } from '@teaching/kit';
import type { TextRef } from './audit-texts.rules.ts';

/** The audit log without its texts: one hash chain for each org. Entries are never changed or removed. */
export const AUDIT_LOG = table('clazz_audit_log', {
  org_id: p.uuid().primary(),
  seq: bigint().primary(),
  id: p.uuid(),
  /** Null for a list that showed records of several classes. */
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

/** The end of each org's chain. Appending locks this row. */
export const AUDIT_HEAD = table('audit_head', {
  org_id: p.uuid().primary(),
  entries: bigint(),
  hash: p.text(),
  at: instant().nullable(),
});

/** The free texts of the audit log, by their digests in the chain. An erased text has neither text nor key. */
export const AUDIT_TEXT = table('audit_text', {
  org_id: p.uuid().primary(),
  digest: p.text().primary(),
  key: p.text().nullable(),
  text: p.text().nullable(),
  /** The people that the text is about. */
  people: texts(),
  erased_at: instant().nullable(),
  /** The number of the entry that contained the text before texts were stored beside the chain. */
  former_seq: bigint().nullable(),
});

/** The step from entries with texts to entries with digests, once for each org that had entries. */
export const AUDIT_ANCHOR = table('audit_anchor', {
  org_id: p.uuid().primary(),
  entries: bigint(),
  /**
   * The former hash of the last entry. It is erased with the first erased text, because the text could be guessed from
   * it.
   */
  hash_before: p.text().nullable(),
  hash: p.text(),
  at: instant(),
  /** The entry at which the former chain was broken, and why. */
  broken_seq: bigint().nullable(),
  broken_why: p.text().nullable(),
});

/** The former hashes of entries. They are deleted from the first entry with an erased text on. */
export const AUDIT_FORMER = table('audit_former', {
  org_id: p.uuid().primary(),
  seq: bigint().primary(),
  hash: p.text(),
});

/** The ranges of events that the audit log cannot prove, for all organizations. */
export const AUDIT_BREAK = table('audit_break', {
  id: bigint().primary().persist(false),
  at: instant(),
  epoch: p.integer(),
  no: bigint(),
  on_from: bigint(),
  why: p.text(),
});

/** The progress and the result of verifying each chain. */
export const AUDIT_VERIFIED = table('audit_verified', {
  org_id: p.uuid().primary(),
  /** The last verified entry of the current or last verification. */
  entries: bigint(),
  hash: p.text(),
  /**
   * When the verification began, and whether it began at the first entry. Otherwise it began at the last verified end.
   */
  began_at: instant(),
  from_first: p.boolean(),
  is_done: p.boolean(),
  /** The end of the chain when it was last verified. The next verification must find this entry. */
  whole_entries: bigint(),
  whole_hash: p.text(),
  /** When the last successful verification began; before the first one, when the chain was first found. */
  whole_at: instant(),
  /** The same for the last successful verification from the first entry. */
  first_at: instant(),
  /** The entry at which the last verification failed, and why. */
  broken_seq: bigint().nullable(),
  broken_why: p.text().nullable(),
});
