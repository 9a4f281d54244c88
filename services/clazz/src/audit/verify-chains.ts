import {
  notNull,
  bigint,
  DAY_MS,
  HOUR_MS,
  instant,
  type RunInTransaction,
  type Logger,
  type MetricSource,
  MINUTE_MS,
  p,
  record,
  type Row,
  statement,
  type Sweep,
  type WorkerTransaction,
} from '@teaching/kit';
import { AUDIT_VERIFIED } from './audit.tables.ts';
import { type ChainBreak, GENESIS, type ChainHead } from './chain.rules.ts';
import { type ChainReader, readAnchor, readHead, type ChainWalk, walkChain } from './read-chain.ts';

/**
 * How often new entries of each chain are verified, and the complete chain where there is time. A broken chain is
 * checked more often, because it may have been repaired.
 */
const EVERY_MS = DAY_MS;
const BROKEN_MS = HOUR_MS;
/** Entries read and hashed at a time. Other calls wait 1 to 2 ms for it. */
const PART = 50;
const PARTS = 4;
/** The run stops after this many failures in a row, because their cause is then probably not in the chains. */
const MAX_FAILURES_IN_A_ROW = 3;

type State = Row<typeof AUDIT_VERIFIED>;

/**
 * The chains with new entries to verify: never verified ones first, then the oldest. A removed head does not hide a
 * known chain.
 */
const DUE = statement(
  `select coalesce(h.org_id, v.org_id) as org_id
   from audit_head as h full join audit_verified as v on v.org_id = h.org_id
   where (v.org_id is null or not v.is_done or v.began_at < case when v.broken_seq is null then $1::timestamptz else $2::timestamptz end)
     and not exists (select from organization_end as e where e.id = coalesce(h.org_id, v.org_id))
   order by v.began_at nulls first limit 10000`,
  { org_id: notNull(p.uuid()) },
);
/** The chains to verify from the first entry. They come after all chains with new entries. */
const DUE_WHOLE = statement(
  `select org_id from audit_verified as v
   where v.is_done and v.broken_seq is null and v.first_at < $1
     and not exists (select from organization_end as e where e.id = v.org_id)
   order by v.first_at limit 100`,
  { org_id: notNull(p.uuid()) },
);
const STATE = statement(`select ${AUDIT_VERIFIED.columns} from audit_verified where org_id = $1`, AUDIT_VERIFIED.shape);
const EXISTS = statement(
  'select exists (select from clazz_audit_log where org_id = $1 and seq = $2 and hash = $3) as is_there',
  { is_there: notNull(p.boolean()) },
);

/** A break that is known before an entry is read: the last verified end is missing, or the former chain was broken. */
const brokenBefore = async (reading: ChainReader, known: State | undefined): Promise<ChainBreak | undefined> => {
  const { brokenBefore: broken } = await readAnchor(reading);
  if (broken !== undefined || known === undefined || known.whole_entries === 0) return broken;
  const [found] = await reading.query(EXISTS, reading.org_id, known.whole_entries, known.whole_hash);
  if (found?.is_there === true) return undefined;
  return { seq: known.whole_entries, id: null, why: 'it is not the entry that the chain ended in when it was whole' };
};

const startOf = (known: State | undefined, isNew: boolean, from_first: boolean): ChainHead => {
  if (known === undefined || (isNew && from_first)) return { entries: 0, hash: GENESIS };
  return isNew
    ? { entries: known.whole_entries, hash: known.whole_hash }
    : { entries: known.entries, hash: known.hash };
};

/**
 * Continues the verification of one chain, or begins the next one: from the last verified end, or from the first entry.
 */
const verifyNext = async (
  tx: WorkerTransaction,
  org_id: string,
  wanted: boolean,
): Promise<{ state: State; rows: number }> => {
  const reading: ChainReader = { org_id, query: tx.query };
  const [known] = await tx.query(STATE, org_id);
  const now = tx.now.toISOString();
  const isNew = known === undefined || known.is_done;
  const canContinue = known !== undefined && known.whole_entries > 0 && known.broken_seq === null;
  const from_first = isNew ? wanted || !canContinue : known.from_first;
  const start = startOf(known, isNew, from_first);
  const began_at = isNew ? now : known.began_at;
  let { head, broken }: ChainWalk = { head: start };
  if (isNew) broken = await brokenBefore(reading, known);
  const end = await readHead(reading);
  let isDone = broken !== undefined;
  for (let part = 0; part < PARTS && !isDone; part += 1) {
    ({ head, broken } = await walkChain(reading, head, end, PART));
    isDone = broken !== undefined || head.entries === end.entries;
  }
  const whole = isDone && broken === undefined;
  const state = {
    org_id,
    ...head,
    began_at,
    from_first,
    is_done: isDone,
    whole_entries: whole ? head.entries : (known?.whole_entries ?? 0),
    whole_hash: whole ? head.hash : (known?.whole_hash ?? GENESIS),
    whole_at: whole ? began_at : (known?.whole_at ?? now),
    first_at: whole && from_first ? began_at : (known?.first_at ?? now),
    broken_seq: isDone ? (broken?.seq ?? null) : (known?.broken_seq ?? null),
    broken_why: isDone ? (broken?.why ?? null) : (known?.broken_why ?? null),
  };
  if (known === undefined) tx.insert(AUDIT_VERIFIED, state);
  else tx.update(AUDIT_VERIFIED, state);
  return { state, rows: head.entries - start.entries };
};

async function* verifyAll(inTx: RunInTransaction, log: Logger): AsyncGenerator<number> {
  const before = (now: Date, ms: number): string => new Date(now.getTime() - ms).toISOString();
  const due = await inTx(async (tx) => {
    const day = before(tx.now, EVERY_MS);
    const [newest, whole] = await Promise.all([
      tx.query(DUE, day, before(tx.now, BROKEN_MS)),
      tx.query(DUE_WHOLE, day),
    ]);
    return [
      ...newest.map(({ org_id }) => ({ org_id, from_first: false })),
      ...whole.map(({ org_id }) => ({ org_id, from_first: true })),
    ];
  });
  const failures: unknown[] = [];
  let inARow = 0;
  for (const { org_id, from_first } of due) {
    try {
      let isDone = false;
      while (!isDone) {
        const { state, rows } = await inTx((tx) => verifyNext(tx, org_id, from_first));
        record.verified(rows);
        yield rows;
        isDone = state.is_done;
        if (isDone && state.broken_seq !== null)
          log.error(
            { org_id, seq: state.broken_seq, why: state.broken_why },
            'the audit log of an organization does not verify',
          );
      }
      inARow = 0;
    } catch (error) {
      failures.push(error);
      inARow += 1;
      if (inARow === MAX_FAILURES_IN_A_ROW) break;
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} chains could not be verified`);
}

/**
 * Verifies the new entries of each chain once a day. Then it verifies chains from their first entry, oldest first: once
 * a day, or as often as time allows. Transactions are small.
 * A chain must contain the entry that it ended in when it was last verified. So a chain that was cut off or rewritten
 * is detected. An attacker who can also change that table is detected only by exported heads.
 * The progress is stored, so that the next leader continues there.
 */
export const verifyChains: Sweep = {
  name: 'chains of the audit trail',
  done: 'entries of audit trails were recomputed',
  every_ms: MINUTE_MS,
  pieces: verifyAll,
};

const FOUND = statement(
  `select (select count(*) from audit_verified where broken_seq is not null) as broken,
     (select min(whole_at) from audit_verified) as whole_at, (select min(first_at) from audit_verified) as first_at`,
  { broken: notNull(bigint()), whole_at: instant().nullable(), first_at: instant().nullable() },
);

/**
 * Measures the number of broken chains, the age of the oldest verified end, and the age of the oldest complete
 * verification, in seconds.
 */
export const measureChains: MetricSource = async (see, on, now) => {
  const [found] = await on.query(FOUND);
  const age = (since: string | null | undefined): number =>
    since === null || since === undefined ? 0 : (now.getTime() - Date.parse(since)) / 1_000;
  see('teaching.audit.broken', found?.broken ?? 0);
  see('teaching.audit.verified.age', age(found?.whole_at));
  see('teaching.audit.recomputed.age', age(found?.first_at));
};
