import { newId, type Received, statement, type Store, type WorkerTx } from '@teaching/kit';
import { appendTo, type ChainEntry, GENESIS, type Head } from './chain.rules.ts';
import { type Recorded, recordsIn } from './records-in.ts';

const START = statement(
  'insert into audit_head (org_id, hash) select org_id, $2 from unnest($1::uuid[]) as org_id on conflict do nothing',
);
/** The heads are the locks of the chains, taken in order. */
const LOCK = statement<Head & { org_id: string }>(
  `select org_id, entries, hash from audit_head where org_id = any($1::uuid[]) order by org_id for update`,
);
const INSERT = statement(
  `insert into clazz_audit_log (org_id, seq, id, clazz_id, clazz_ids, action, entity, entity_id, actor_id, actor_roles,
     occurred_at, request_id, trace_id, ip, reason, changes, event_id, prev_hash, hash)
   select org_id, seq, id, clazz_id, clazz_ids, action, entity, entity_id, actor_id, actor_roles, occurred_at,
     request_id, trace_id, ip, reason, changes, event_id, prev_hash, hash
   from json_populate_recordset(null::clazz_audit_log, $1)`,
);
const ADVANCE = statement(
  `update audit_head set entries = h.entries, hash = h.hash, at = h.at
   from unnest($1::uuid[], $2::bigint[], $3::text[], $4::timestamptz[]) as h(org_id, entries, hash, at)
   where audit_head.org_id = h.org_id`,
);

/**
 * Appends what happened to the hash chain of each org, in the order of the events. Each event must come once,
 * which the consumer sees to: its position is stored in the same transaction. The head keeps two consumers
 * apart: the second waits for it.
 */
export const appendEntries = (batch: readonly Received[]): Store => {
  const byOrg = Map.groupBy(recordsIn(batch), (record) => record.org_id);
  return (tx) => append(byOrg, tx);
};

/** The heads of these orgs, locked; an org's first entry makes its head. */
const lockHeads = async (tx: WorkerTx, org_ids: readonly string[]) => {
  const heads = await tx.query(LOCK, org_ids);
  if (heads.length === org_ids.length) return heads;
  tx.run(START, org_ids, GENESIS);
  return tx.query(LOCK, org_ids);
};

type Stored = ChainEntry & { event_id: string | undefined };

const continued = (head: Head, records: readonly Recorded[]): Stored[] => {
  const entries = appendTo(
    head,
    records.map(({ event_id: _not_hashed, ...content }) => ({ id: newId(), ...content })),
  );
  return entries.map((entry, index) => ({ ...entry, event_id: records[index]?.event_id }));
};

const append = async (byOrg: ReadonlyMap<string, readonly Recorded[]>, tx: WorkerTx): Promise<void> => {
  if (byOrg.size === 0) return;
  const heads = await lockHeads(tx, [...byOrg.keys()].toSorted());
  const chains = heads.map((head) => continued(head, byOrg.get(head.org_id) ?? []));
  tx.run(INSERT, JSON.stringify(chains.flat()));
  const last = chains.flatMap((chain) => chain.slice(-1));
  tx.run(
    ADVANCE,
    last.map((entry) => entry.org_id),
    last.map((entry) => entry.seq),
    last.map((entry) => entry.hash),
    last.map((entry) => entry.occurred_at),
  );
};
