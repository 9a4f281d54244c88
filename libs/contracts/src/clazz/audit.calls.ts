import { z } from 'zod';
import { call } from '../call.ts';
import { csvQuery, page, pageQuery, queryInt, commaSeparated } from '../page.ts';
import { ID, identifier, Instant, InstantInput, openEnum, PersonIdInput, PersonName, Role, STAFF } from '../scalars.ts';
import { rule } from '../rules.ts';

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

export const AuditEntity = openEnum(AUDIT_ENTITIES, 'Kind of the record that the entry is about');

/** HMAC-SHA256 of a text under its own random key, as lower-case hex. The text cannot be guessed from it. */
const Digest = z.string();
/** A free text of an entry: its path (RFC 6901) and its digest in the hash chain. */
export const AuditText = z.object({
  path: z.string().meta({ description: 'JSON Pointer (RFC 6901) to the text in the entry' }),
  digest: Digest.meta({
    description:
      'HMAC-SHA256 of the text (UTF-8) under `key`, as lower-case hex. The hash chain contains only this digest',
  }),
});

/**
 * One entry of `clazz_audit_log`. `hash` covers all other fields; `prev_hash` is the hash of the previous entry. Free
 * texts are stored beside the chain: `texts` lists them, and the hash covers their digests.
 */
export const AuditEntry = z.object({
  id: ID,
  org_id: ID,
  seq: z.int(),
  /** The class. For a list that showed several classes, the class whose audit log is read. */
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
   * All classes that a list showed, else `null`. If set, the hash covers it with `clazz_id: null`. If `null`, the hash
   * does not contain this field.
   */
  clazz_ids: z.array(ID).nullable(),
  texts: z
    .array(
      AuditText.extend({
        key: z.string().nullable().meta({ description: 'Key of the digest as hex; `null` after the text was erased' }),
      }),
    )
    .nullable()
    .meta({
      description:
        'Free texts of the entry; `null` if it has none. To compute `hash`: put `null` at each `path`; keep only `path` and ' +
        '`digest` of each text; remove `hash`, the names beside ids, and `texts` and `clazz_ids` if they are `null`; set `clazz_id` ' +
        'to `null` if `clazz_ids` is set. `hash` is the SHA-256 of the canonical JSON (RFC 8785)',
    }),
  prev_hash: z.string(),
  hash: z.string(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** An entry in responses. The hash does not cover the names beside ids. */
export const ShownAuditEntry = AuditEntry.extend({
  clazz_name: z.string().nullable().meta({ description: 'Name of the class; `null` if the class is deleted' }),
  clazz_names: z
    .array(z.string().nullable())
    .nullable()
    .meta({ description: 'Names of the classes, in the order of `clazz_ids`; `null` for a deleted class' }),
  actor_name: PersonName,
});
export type ShownAuditEntry = z.infer<typeof ShownAuditEntry>;

/** An entry in the audit log of the organization. `clazz_id` is `null` if it concerns several classes or none. */
export const OrgAuditEntry = ShownAuditEntry.extend({ clazz_id: ID.nullable() });
export type OrgAuditEntry = z.infer<typeof OrgAuditEntry>;

/** SHA-256 as lower-case hex; 64 zeros before the first entry. */
const Hash = z.string();
const Head = z.object({ entries: z.int(), hash: Hash });
const complete = z.boolean().meta({
  description:
    'Whether the log contains all actions up to now. `false` while records are in transit, or if some could not be stored',
});

/** A gap that the log cannot prove: the database was restored, or records were lost before they were stored here. */
const Break = z.object({
  at: Instant,
  /** Offset up to which records had been stored here or published … */
  epoch: z.int(),
  no: z.int(),
  /** … and the number at which the log continues. */
  on_from: z.int(),
  why: z.string(),
});

/** The conversion of old entries, which contained their texts, to the form with digests. */
const Reanchored = z.object({
  at: Instant,
  entries: z.int().meta({ description: 'Number of converted entries' }),
  hash: Hash.meta({ description: 'New hash of the last converted entry' }),
  hash_before: Hash.nullable().meta({
    description: 'Its earlier hash; `null` after a text was erased, because the text could be guessed from it',
  }),
});

type StoredHead = { entries?: number | undefined; hash?: string | undefined };
const WHOLE_HEAD = 'is required: a head has `entries` and `hash`';

export const auditCalls = {
  listClazzAuditEntries: call({
    id: 'clazz.audit.list',
    http: `GET ${BASE}/{id}/audit-log`,
    summary: 'List the audit log of a class, newest first. CSV with `Accept: text/csv`',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: false,
    other_type: 'text/csv',
    path: { id: ID },
    query: {
      actor_id: commaSeparated(PersonIdInput).optional(),
      action: commaSeparated(z.enum(AUDIT_ACTIONS)).optional(),
      entity: commaSeparated(z.enum(AUDIT_ENTITIES)).optional(),
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
    summary: 'List the audit log of the organization, newest first. CSV with `Accept: text/csv`',
    roles: ['SUPERVISOR'],
    writes: false,
    other_type: 'text/csv',
    query: {
      entity: commaSeparated(z.enum(AUDIT_ENTITIES)).optional(),
      entity_id: commaSeparated(identifier(300)).optional().meta({
        description:
          'Ids of records. This filter and `student_id` use an index; other filters search the log from its end',
      }),
      student_id: commaSeparated(PersonIdInput).optional().meta({
        description: 'Entries about these people and about their enrolments, leaves, marks and hours',
      }),
      actor_id: commaSeparated(PersonIdInput).optional(),
      action: commaSeparated(z.enum(AUDIT_ACTIONS)).optional(),
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
      'Verify the hash chain and the text digests. Begins at the first entry or at a stored head. Names the first broken entry',
    roles: ['SUPERVISOR'],
    writes: false,
    cost: 20,
    query: {
      entries: queryInt(0, 999_999_999)
        .optional()
        .meta({ description: '`entries` of a stored head. Default: verify from the start' }),
      hash: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional()
        .meta({ description: '`hash` of the stored head' }),
    },
    query_rules: [
      rule(['entries', 'hash'], ({ entries, hash }: StoredHead) => hash === undefined || entries !== undefined, {
        path: 'entries',
        message: WHOLE_HEAD,
      }),
      rule(['entries', 'hash'], ({ entries, hash }: StoredHead) => entries === undefined || hash !== undefined, {
        path: 'hash',
        message: WHOLE_HEAD,
      }),
    ],
    output: z.object({
      ok: z.boolean().nullable().meta({
        description: '`true` if all entries are valid; `null` if not all are checked yet: continue from `checked`',
      }),
      entries: z.int(),
      head: Hash,
      checked: Head.meta({ description: 'Last checked entry. Send it as `entries` and `hash` to continue' }),
      first_broken: z.object({ seq: z.int(), id: z.string().nullable(), why: z.string() }).optional(),
      complete,
      dead_letters: z
        .int()
        .meta({ description: 'Number of records that could not be stored in the log and wait for the operator' }),
      reanchored: Reanchored.optional(),
      breaks: z.array(Break).meta({ description: 'Gaps that the log cannot prove, of the whole system, newest first' }),
    }),
  }),
  getAuditLogHead: call({
    id: 'clazz.audit.head',
    http: `GET ${BASE}/audit-log/head`,
    summary: 'Read the head of the hash chain, to store it elsewhere',
    roles: ['SUPERVISOR'],
    writes: false,
    output: z.object({ entries: z.int(), hash: Hash, at: Instant.nullable(), complete }),
  }),
};
