import { AUDIT_ACTIONS, AUDIT_ENTITIES, type AuditEntry, type Role } from '@teaching/contracts';
import { bigint, instant, p, table, texts, uuids } from '@teaching/kit';
import type { TextRef } from './audit-texts.rules.ts';

/** The trail, without its texts: one hash chain for each org. No entry is changed or removed. */
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

/** Where each org's chain ends; its row is the lock under which entries are appended. */
export const AUDIT_HEAD = table('audit_head', {
  org_id: p.uuid().primary(),
  entries: bigint(),
  hash: p.text(),
  at: instant().nullable(),
});

/** The free texts of the trail, by the digests that stand in its chain. One that was erased has neither text nor key. */
export const AUDIT_TEXT = table('audit_text', {
  org_id: p.uuid().primary(),
  digest: p.text().primary(),
  key: p.text().nullable(),
  text: p.text().nullable(),
  /** The people it is about. */
  people: texts(),
  erased_at: instant().nullable(),
  /** The entry that held it itself before texts lay beside the chain. */
  former_seq: bigint().nullable(),
});

/** The step from entries that held their texts themselves to entries with digests, once for each org that had some. */
export const AUDIT_ANCHOR = table('audit_anchor', {
  org_id: p.uuid().primary(),
  entries: bigint(),
  /** What the last of them had; erased with the first text of theirs, which could be guessed from it. */
  hash_before: p.text().nullable(),
  hash: p.text(),
  at: instant(),
  /** Where the chain was broken already, and why. */
  broken_seq: bigint().nullable(),
  broken_why: p.text().nullable(),
});

/** The hashes that entries had then; from the first on whose text was erased there is none. */
export const AUDIT_FORMER = table('audit_former', {
  org_id: p.uuid().primary(),
  seq: bigint().primary(),
  hash: p.text(),
});

/** What the trail can no longer prove, of all organizations. */
export const AUDIT_BREAK = table('audit_break', {
  id: bigint().primary().persist(false),
  at: instant(),
  epoch: p.integer(),
  no: bigint(),
  on_from: bigint(),
  why: p.text(),
});

/** How far the recomputing of each chain is, and what it found. */
export const AUDIT_VERIFIED = table('audit_verified', {
  org_id: p.uuid().primary(),
  /** Where the walk stands, or stood when it ended. */
  entries: bigint(),
  hash: p.text(),
  /** When it began, and whether at the first entry; else at the end of the chain that was whole. */
  began_at: instant(),
  from_first: p.boolean(),
  is_done: p.boolean(),
  /** What the chain ended in when it was whole; the next walk has to come by there. */
  whole_entries: bigint(),
  whole_hash: p.text(),
  /** When that walk began; before there was one, when the chain was first met. */
  whole_at: instant(),
  /** The same of the last one from the first entry. */
  first_at: instant(),
  /** What the last walk stopped at. */
  broken_seq: bigint().nullable(),
  broken_why: p.text().nullable(),
});
