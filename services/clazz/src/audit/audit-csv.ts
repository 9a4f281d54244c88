import type { OrgAuditEntry } from '@teaching/contracts';
import { csvWriter, nameColumns, p } from '@teaching/kit';

const actor = nameColumns('a', 'actor_id');

/** Names for the ids of an entry `a` with its `clazz_id`. A deleted class has no name. */
export const ENTRY_NAMES = {
  columns: `(select name from clazz where org_id = a.org_id and id = a.clazz_id) as clazz_name,
    case when a.clazz_ids is not null then array(
      select (select name from clazz where org_id = a.org_id and id = w.id)
      from unnest(a.clazz_ids) with ordinality as w(id, n) order by w.n) end as clazz_names,
    ${actor.columns}`,
  shape: {
    clazz_name: p.text().nullable(),
    clazz_names: p.array<string | null>().nullable(),
    ...actor.shape,
  },
};

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

/** Writes audit entries as CSV, of a class or of the org. */
export const writeAuditCsv = csvWriter<OrgAuditEntry>(COLUMNS);
