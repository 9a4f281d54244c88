import { z } from 'zod';
import { call } from '../call.ts';
import { csvQuery, page, pageQuery, queryInt, several } from '../page.ts';
import { ID, Instant, InstantInput, openEnum, PersonId, PersonName, Role, STAFF } from '../scalars.ts';

const BASE = '/api/v1/clazz';

export const AUDIT_ACTIONS = ['create', 'read', 'update', 'delete'] as const;
export const AUDIT_ENTITIES = [
  'clazz',
  'enrolment',
  'lesson',
  'roll_call',
  'leave',
  'relation',
  'member',
  'guardian',
  'policy',
  'holiday',
  'room',
  'account',
  'entry',
] as const;

export const AuditEntity = openEnum(AUDIT_ENTITIES, 'What the entry is about');

/** Lower-case hex of the HMAC-SHA256 of a text, under a random key of its own: the text cannot be guessed from it. */
const Digest = z.string();
/** A free text in an entry: where it stands (RFC 6901) and what the chain knows of it. */
export const AuditText = z.object({
  path: z.string().meta({ description: 'JSON pointer into the entry' }),
  digest: Digest.meta({
    description: 'HMAC-SHA256 of the text (UTF-8) under `key`, lower-case hex; this is all that the chain keeps of it',
  }),
});

/**
 * One entry of `clazz_audit_log`; `hash` covers every other field, `prev_hash` ties it to the entry before. Free texts
 * stand beside the chain: each is listed in `texts`, and the hash covers its digest.
 */
export const AuditEntry = z.object({
  id: ID,
  org_id: ID,
  seq: z.int(),
  /** The class; of a list that showed something of several, the one whose trail this is. */
  clazz_id: ID,
  action: z.enum(AUDIT_ACTIONS),
  entity: AuditEntity,
  entity_id: z.string(),
  actor_id: z.string(),
  actor_roles: z.array(Role),
  occurred_at: Instant,
  request_id: z.string(),
  trace_id: z.string(),
  ip: z.string().nullable(),
  reason: z.string().nullable(),
  changes: z.record(z.string(), z.object({ before: z.unknown(), after: z.unknown() })),
  /**
   * All classes that a list showed something of, else `null`. Where there are some, they are part of the hash
   * and `clazz_id` is `null` in it; where there are none, the hash does not know of them.
   */
  clazz_ids: z.array(ID).nullable(),
  texts: z
    .array(
      AuditText.extend({
        key: z
          .string()
          .nullable()
          .meta({ description: 'In hex; `null` once the text was erased, which is `null` then' }),
      }),
    )
    .nullable()
    .meta({
      description:
        'The free texts of the entry, `null` if it has none. To compute `hash`: put `null` at each `path`, keep `path` and ' +
        '`digest` of each, leave out `hash` and the names beside ids, and `texts` and `clazz_ids` where they are `null` (with `clazz_ids`, `clazz_id` ' +
        'is `null`); SHA-256 of the canonical JSON (RFC 8785)',
    }),
  prev_hash: z.string(),
  hash: z.string(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** An entry as it is answered. The names beside ids are no part of the hash. */
export const ShownAuditEntry = AuditEntry.extend({
  clazz_name: z.string().nullable().meta({ description: 'Name of the class; `null` once it is deleted' }),
  clazz_names: z
    .array(z.string().nullable())
    .nullable()
    .meta({ description: 'In the order of `clazz_ids`; `null` for a class that was deleted' }),
  actor_name: PersonName,
});
export type ShownAuditEntry = z.infer<typeof ShownAuditEntry>;

/** One of the trail of the org, as the chain has it: what concerns several classes, or none, is no one class's. */
export const OrgAuditEntry = ShownAuditEntry.extend({ clazz_id: ID.nullable() });
export type OrgAuditEntry = z.infer<typeof OrgAuditEntry>;

/** SHA-256 in lower-case hex; 64 zeros before the first entry. */
const Hash = z.string();
const Head = z.object({ entries: z.int(), hash: Hash });
const complete = z.boolean().meta({
  description: 'False while something that was done is still on its way to the trail, or could not be put there',
});

/** The database was put back, or records were removed before they stood here: what the trail can no longer prove. */
const Break = z.object({
  at: Instant,
  /** Records up to this place of the log had been taken, or told to others … */
  epoch: z.int(),
  no: z.int(),
  /** … and the log goes on from here. */
  on_from: z.int(),
  why: z.string(),
});

/** When entries that held their texts themselves were given the form with digests, and what the chain ended in. */
const Reanchored = z.object({
  at: Instant,
  entries: z.int().meta({ description: 'How many entries were carried over' }),
  hash: Hash.meta({ description: 'Of the last of them, as it is now' }),
  hash_before: Hash.nullable().meta({
    description: 'As it was; `null` once a text of theirs was erased, which could be guessed from it',
  }),
});

export const auditCalls = {
  listClazzAuditEntries: call({
    id: 'clazz.audit.list',
    http: `GET ${BASE}/{id}/audit-log`,
    summary: 'The audit trail of a class, newest first; all of it as CSV with Accept: text/csv',
    who: STAFF,
    whose: { TEACHER: 'lead' },
    writes: false,
    also: 'text/csv',
    path: { id: ID },
    query: {
      actor_id: PersonId.optional(),
      action: z.enum(AUDIT_ACTIONS).optional(),
      entity: z.enum(AUDIT_ENTITIES).optional(),
      from: InstantInput.optional(),
      to: InstantInput.optional(),
      ...pageQuery,
      ...csvQuery,
    },
    output: page(ShownAuditEntry).extend({ complete }),
  }),
  listAuditEntries: call({
    id: 'clazz.audit.list_org',
    http: `GET ${BASE}/audit-log`,
    summary: 'The audit trail of the org, newest first; all of it as CSV with Accept: text/csv',
    who: ['SUPERVISOR'],
    writes: false,
    also: 'text/csv',
    query: {
      entity: several(z.enum(AUDIT_ENTITIES)).optional(),
      entity_id: several(z.string().min(1).max(300)).optional().meta({
        description: 'Found by an index, as a student is; by other filters the trail is searched from its end',
      }),
      student_id: PersonId.optional().meta({
        description: 'What was done about this person, their enrolments, leave, marks and hours',
      }),
      actor_id: several(PersonId).optional(),
      action: several(z.enum(AUDIT_ACTIONS)).optional(),
      from: InstantInput.optional(),
      to: InstantInput.optional(),
      ...pageQuery,
      ...csvQuery,
    },
    output: page(OrgAuditEntry).extend({ complete }),
  }),
  verifyAuditLog: call({
    id: 'clazz.audit.verify',
    http: `GET ${BASE}/audit-log/verify`,
    summary:
      "Recompute the org's hash chain, from its start or from a head kept elsewhere, and the digest of each text that was not erased; names the first broken entry",
    who: ['SUPERVISOR'],
    writes: false,
    cost: 20,
    query: {
      entries: queryInt(0, 999_999_999).optional().meta({ description: '`entries` of a head that was kept' }),
      hash: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional()
        .meta({ description: 'Its `hash`' }),
    },
    output: z.object({
      ok: z.boolean().nullable().meta({
        description: 'Whether nothing broken was found; `null` while not all is checked: go on from `checked`',
      }),
      entries: z.int(),
      head: Hash,
      checked: Head.meta({ description: 'How far was checked; go on from here if it is less than `entries`' }),
      first_broken: z.object({ seq: z.int(), id: z.string().nullable(), why: z.string() }).optional(),
      complete,
      dead_letters: z
        .int()
        .meta({ description: 'Records that could not be put into the trail, and wait for somebody' }),
      reanchored: Reanchored.optional(),
      breaks: z.array(Break).meta({ description: 'What can no longer be proven, newest first; of the whole system' }),
    }),
  }),
  getAuditLogHead: call({
    id: 'clazz.audit.head',
    http: `GET ${BASE}/audit-log/head`,
    summary: 'The head of the chain, for keeping elsewhere',
    who: ['SUPERVISOR'],
    writes: false,
    output: z.object({ entries: z.int(), hash: Hash, at: Instant.nullable(), complete }),
  }),
};
