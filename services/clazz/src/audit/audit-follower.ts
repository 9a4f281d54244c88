import { clazzEvents, restoredEvent } from '@teaching/contracts';
import {
  eventsOf,
  type FollowerDefinition,
  type LostRange,
  newId,
  type ReceivedEvent,
  statement,
  type StoreBatch,
  type WorkerTransaction,
  type StoredRow,
} from '@teaching/kit';
import { AUDIT_BREAK, AUDIT_HEAD, AUDIT_LOG, AUDIT_TEXT } from './audit.tables.ts';
import { appendToChain, type ChainEntry, GENESIS, type ChainHead } from './chain.rules.ts';
import { toTextRows, detachTexts, peopleOfEntry } from './audit-texts.rules.ts';

/** An entry before it has a number, with the id of its event. */
type RecordedEntry = Omit<ChainEntry, 'id' | 'seq' | 'prev_hash' | 'hash'> & { event_id: string };

/** The contents of a batch. `texts` are texts of old events, whose transaction did not store them itself. */
interface BatchContents {
  records: RecordedEntry[];
  texts: StoredRow<typeof AUDIT_TEXT>[];
}

/** The events of both versions in their order. An event of the first version is about one class. */
const auditEvents = (batch: readonly ReceivedEvent[]) => {
  const first = eventsOf(batch, clazzEvents.audited).map(
    ({ data: { entries, clazz_id, reason, ...data }, ...event }) => {
      return { ...event, data: { ...data, entries: entries.map((entry) => ({ ...entry, clazz_id, reason })) } };
    },
  );
  const eventById = new Map(
    [...first, ...eventsOf(batch, clazzEvents.auditRecorded)].map((event) => [event.id, event]),
  );
  return batch.flatMap(({ id }) => eventById.get(id) ?? []);
};

/** The records of a batch in the order of its events. */
const recordsIn = (batch: readonly ReceivedEvent[]): BatchContents => {
  const texts: BatchContents['texts'] = [];
  const records = auditEvents(batch).flatMap(({ data, ...event }) =>
    data.entries.map((recorded) => {
      const bare = detachTexts(recorded, peopleOfEntry(recorded));
      texts.push(...toTextRows(event.orgid, bare.texts));
      const refsInEvent = 'texts' in recorded ? recorded.texts : undefined;
      const clazz_ids = 'clazz_ids' in recorded ? recorded.clazz_ids : undefined;
      const { action, entity, entity_id, clazz_id, reason, changes, texts: refs } = bare.entry;
      return {
        org_id: event.orgid,
        clazz_id,
        clazz_ids: clazz_ids ?? null,
        action,
        entity,
        entity_id,
        actor_id: event.actor,
        actor_roles: data.actor_roles,
        occurred_at: event.time,
        request_id: event.requestid,
        trace_id: data.trace_id,
        ip: data.ip,
        reason,
        changes,
        texts: refsInEvent ?? refs,
        event_id: event.id,
      };
    }),
  );
  return { records, texts };
};

const START = statement(
  'insert into audit_head (org_id, hash) select org_id, $2 from unnest($1::uuid[]) as org_id on conflict do nothing',
);
const HEAD = AUDIT_HEAD.pick('org_id', 'entries', 'hash');
/** Locks the chains by their heads, in order. */
const LOCK = statement(
  `select ${HEAD.columns} from audit_head where org_id = any($1::uuid[]) order by org_id for update`,
  HEAD.shape,
);

/**
 * Appends the records of a batch to the hash chain of each org, in the order of the events.
 * Each event is applied once, because the follower stores its position in the same transaction. The lock of the head
 * serializes two followers.
 */
export const appendEntries = (batch: readonly ReceivedEvent[]): StoreBatch => {
  const { records, texts } = recordsIn(batch);
  const byOrg = Map.groupBy(records, (record) => record.org_id);
  return async (tx) => {
    tx.insert(AUDIT_TEXT, ...texts);
    await append(byOrg, tx);
  };
};

/** Locks the heads of these orgs. The first entry of an org creates its head. */
const lockHeads = async (tx: WorkerTransaction, org_ids: readonly string[]) => {
  const heads = await tx.query(LOCK, org_ids);
  if (heads.length === org_ids.length) return heads;
  tx.run(START, org_ids, GENESIS);
  return tx.query(LOCK, org_ids);
};

/** The records as entries of a chain. The event id is stored with an entry but is not part of the hash. */
const toChainEntries = (head: ChainHead, records: readonly RecordedEntry[]) => {
  const contents = records.map(({ event_id: _beside, ...content }) => ({ id: newId(), ...content }));
  const entries = appendToChain(head, contents);
  return records.flatMap(({ event_id }, index) => {
    const entry = entries[index];
    return entry === undefined ? [] : [{ ...entry, event_id }];
  });
};

const append = async (byOrg: ReadonlyMap<string, readonly RecordedEntry[]>, tx: WorkerTransaction): Promise<void> => {
  if (byOrg.size === 0) return;
  const heads = await lockHeads(tx, [...byOrg.keys()].toSorted());
  const chains = heads.map((head) => toChainEntries(head, byOrg.get(head.org_id) ?? []));
  tx.insert(AUDIT_LOG, ...chains.flat());
  const ends = chains
    .flatMap((chain) => chain.slice(-1))
    .map(({ org_id, seq, hash, occurred_at }) => ({ org_id, entries: seq, hash, at: occurred_at }));
  tx.update(AUDIT_HEAD, ...ends);
};

/**
 * Records that the log lost entries of the audit log's source. Entries after `on_from` cannot be proven, and others may
 * be missing.
 */
const recordBreak = (tx: WorkerTransaction, { at: { epoch, no }, on_from, why }: LostRange): void =>
  tx.insert(AUDIT_BREAK, { at: tx.now.toISOString(), epoch, no, on_from: on_from.no, why });

const restored = restoredEvent('clazz', 'audit');

/** Follows the audit events of this service and appends them to the hash chains. */
export const AUDIT_FOLLOWER: FollowerDefinition = {
  name: 'audit',
  follows: [clazzEvents.audited, clazzEvents.auditRecorded, restored],
  apply: (batch) => {
    const append = appendEntries(batch);
    const restorations = eventsOf(batch, restored);
    return async (tx, generation) => {
      await append(tx, generation);
      for (const { data } of restorations) {
        const at = { epoch: data.void_epoch, no: data.void_up_to, id: null };
        const on_from = { epoch: data.epoch, no: data.first_no, id: null };
        recordBreak(tx, { log: 'clazz.audit', at, on_from, why: 'the database was put back to an earlier point' });
      }
    };
  },
  onLost: recordBreak,
};
