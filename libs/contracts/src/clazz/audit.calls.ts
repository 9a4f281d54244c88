import { z } from 'zod';
import { call } from '../call.ts';
import { page, pageQuery, queryInt } from '../page.ts';
import { ID, Instant, InstantInput, PersonId, Role, STAFF } from '../scalars.ts';

const BASE = '/api/v1/clazz';

export const AUDIT_ACTIONS = ['create', 'read', 'update', 'delete'] as const;
export const AUDIT_ENTITIES = ['clazz', 'enrolment', 'lesson', 'roll_call', 'leave', 'relation'] as const;

/** One entry of `clazz_audit_log`; `hash` covers every other field, `prev_hash` ties it to the entry before. */
export const AuditEntry = z.object({
  id: ID,
  org_id: ID,
  seq: z.int(),
  /** The class; of a list that showed something of several, the one whose trail this is. */
  clazz_id: ID,
  action: z.enum(AUDIT_ACTIONS),
  entity: z.enum(AUDIT_ENTITIES),
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
  prev_hash: z.string(),
  hash: z.string(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

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

export const auditCalls = {
  list: call({
    id: 'clazz.audit.list',
    http: `GET ${BASE}/{id}/audit-log`,
    summary: 'The audit trail of a class, newest first; all of it as CSV with Accept: text/csv',
    who: STAFF,
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
    },
    output: page(AuditEntry).extend({ complete }),
  }),
  verify: call({
    id: 'clazz.audit.verify',
    http: `GET ${BASE}/audit-log/verify`,
    summary:
      "Recompute the org's hash chain, from its start or from a head kept elsewhere; names the first broken entry",
    who: ['SUPERVISOR'],
    writes: false,
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
      breaks: z.array(Break).meta({ description: 'What can no longer be proven, newest first; of the whole system' }),
    }),
  }),
  head: call({
    id: 'clazz.audit.head',
    http: `GET ${BASE}/audit-log/head`,
    summary: 'The head of the chain, for keeping elsewhere',
    who: ['SUPERVISOR'],
    writes: false,
    output: z.object({ entries: z.int(), hash: Hash, at: Instant.nullable(), complete }),
  }),
};
