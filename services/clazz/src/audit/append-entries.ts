import { newId, type Received, statement, type Store, type WorkerTx } from '@teaching/kit';
import { AUDIT_HEAD } from './audit-head.table.ts';
import { AUDIT_LOG } from './audit-log.table.ts';
import { AUDIT_TEXT } from './audit-text.table.ts';
import { appendTo, GENESIS, type Head } from './chain.rules.ts';
import { type Recorded, recordsIn } from './records-in.ts';

const START = statement(
  'insert into audit_head (org_id, hash) select org_id, $2 from unnest($1::uuid[]) as org_id on conflict do nothing',
);
const HEAD = AUDIT_HEAD.some('org_id', 'entries', 'hash');
/** The heads are the locks of the chains, taken in order. */
const LOCK = statement(
  `select ${HEAD.columns} from audit_head where org_id = any($1::uuid[]) order by org_id for update`,
  HEAD.shape,
);

/**
 * Appends what happened to the hash chain of each org, in the order of the events. Each event must come once,
 * which the consumer sees to: its position is stored in the same transaction. The head keeps two consumers
 * apart: the second waits for it.
 */
export const appendEntries = (batch: readonly Received[]): Store => {
  const { records, texts } = recordsIn(batch);
  const byOrg = Map.groupBy(records, (record) => record.org_id);
  return async (tx) => {
    tx.insert(AUDIT_TEXT, ...texts);
    await append(byOrg, tx);
  };
};

/** The heads of these orgs, locked; an org's first entry makes its head. */
const lockHeads = async (tx: WorkerTx, org_ids: readonly string[]) => {
  const heads = await tx.query(LOCK, org_ids);
  if (heads.length === org_ids.length) return heads;
  tx.run(START, org_ids, GENESIS);
  return tx.query(LOCK, org_ids);
};

/** The records as entries of a chain. Which event one came in is kept beside it and is not part of the hash. */
const continued = (head: Head, records: readonly Recorded[]) => {
  const contents = records.map(({ event_id: _beside, ...content }) => ({ id: newId(), ...content }));
  const entries = appendTo(head, contents);
  return records.flatMap(({ event_id }, index) => {
    const entry = entries[index];
    return entry === undefined ? [] : [{ ...entry, event_id }];
  });
};

const append = async (byOrg: ReadonlyMap<string, readonly Recorded[]>, tx: WorkerTx): Promise<void> => {
  if (byOrg.size === 0) return;
  const heads = await lockHeads(tx, [...byOrg.keys()].toSorted());
  const chains = heads.map((head) => continued(head, byOrg.get(head.org_id) ?? []));
  tx.insert(AUDIT_LOG, ...chains.flat());
  const ends = chains
    .flatMap((chain) => chain.slice(-1))
    .map(({ org_id, seq, hash, occurred_at }) => ({ org_id, entries: seq, hash, at: occurred_at }));
  tx.update(AUDIT_HEAD, ...ends);
};
