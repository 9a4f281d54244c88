import { clazzEvents, type EventData } from '@teaching/contracts';
import { eventsOf, newId, type Received, statement, type Store, type WorkerTx } from '@teaching/kit';
import { appendTo, GENESIS, type Head } from './chain.rules.ts';

type Audited = Received<EventData<typeof clazzEvents.audited>>;

const START = statement(
  'insert into audit_head (org_id, hash) select org_id, $2 from unnest($1::uuid[]) as org_id on conflict do nothing',
);
/** The heads are the locks of the chains, taken in order. */
const LOCK = statement<Head & { org_id: string }>(
  `select org_id, entries, hash from audit_head where org_id = any($1::uuid[]) order by org_id for update`,
);
const KNOWN = statement<{ event_id: string }>(
  `select distinct event_id from clazz_audit_log where org_id = any($1::uuid[]) and event_id = any($2::uuid[])`,
);
const INSERT = statement(
  `insert into clazz_audit_log (org_id, seq, id, clazz_id, action, entity, entity_id, actor_id, actor_roles, occurred_at,
     request_id, trace_id, ip, reason, changes, event_id, prev_hash, hash)
   select org_id, seq, id, clazz_id, action, entity, entity_id, actor_id,
     array(select jsonb_array_elements_text(actor_roles)), occurred_at,
     request_id, trace_id, ip, reason, changes, event_id, prev_hash, hash
   from jsonb_to_recordset($1::jsonb) as e(org_id uuid, seq bigint, id uuid, clazz_id uuid, action text, entity text,
     entity_id text, actor_id text, actor_roles jsonb, occurred_at timestamptz, request_id text, trace_id text, ip text,
     reason text, changes jsonb, event_id uuid, prev_hash text, hash text)`,
);
const ADVANCE = statement(
  `update audit_head set entries = h.entries, hash = h.hash, at = h.at
   from unnest($1::uuid[], $2::bigint[], $3::text[], $4::timestamptz[]) as h(org_id, entries, hash, at)
   where audit_head.org_id = h.org_id`,
);

/** The entries of one event, each with an id of its own. */
const entriesOf = ({ data, ...event }: Audited) =>
  data.entries.map((entry) => ({
    id: newId(),
    org_id: event.orgid,
    clazz_id: data.clazz_id,
    action: entry.action,
    entity: entry.entity,
    entity_id: entry.entity_id,
    actor_id: event.actor,
    actor_roles: data.actor_roles,
    occurred_at: event.time,
    request_id: event.requestid,
    trace_id: data.trace_id,
    ip: data.ip,
    reason: data.reason,
    changes: entry.changes,
    event_id: event.id,
  }));

/**
 * Appends what happened to the hash chain of each org, in the order of the events. Safe against events
 * delivered again, and against two consumers at work: the second waits for the head.
 */
export const appendEntries = (batch: readonly Received[]): Store => {
  const events = eventsOf(batch, clazzEvents.audited);
  return (tx) => append(events, tx);
};

const append = async (events: readonly Audited[], tx: WorkerTx): Promise<void> => {
  const org_ids = [...new Set(events.map((event) => event.orgid))].toSorted();
  tx.run(START, org_ids, GENESIS);
  const [heads, stored] = await Promise.all([
    tx.query(LOCK, org_ids),
    tx.query(
      KNOWN,
      org_ids,
      events.map((event) => event.id),
    ),
  ]);
  const known = new Set(stored.map((row) => row.event_id));
  const byOrg = Map.groupBy(
    events.filter((event) => !known.has(event.id)),
    (event) => event.orgid,
  );
  const chains = heads.flatMap((head) => {
    const found = (byOrg.get(head.org_id) ?? []).flatMap(entriesOf);
    const eventIds = found.map((entry) => entry.event_id);
    const entries = appendTo(
      head,
      found.map(({ event_id: _not_hashed, ...entry }) => entry),
    );
    return entries.map((entry, index) => ({ ...entry, event_id: eventIds[index] }));
  });
  if (chains.length === 0) return;
  tx.run(INSERT, JSON.stringify(chains));
  const last = [...new Map(chains.map((entry) => [entry.org_id, entry])).values()];
  tx.run(
    ADVANCE,
    last.map((entry) => entry.org_id),
    last.map((entry) => entry.seq),
    last.map((entry) => entry.hash),
    last.map((entry) => entry.occurred_at),
  );
};
