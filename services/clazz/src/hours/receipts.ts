import { type ledgerCalls, notFound, type Policy, type Receipt } from '@teaching/contracts';
import { notNull, type Handler, hundredths, localDate, nameColumns, Reply, statement } from '@teaching/kit';
import { policyInForce } from '../policy/policy.ts';
import { auditAccountRead, canSeePrices } from './account-access.ts';
import type { OpenLedgers, LedgerTx } from './ledger.ts';
import { HOUR_ENTRY, HOUR_LOT, RECEIPT } from './hours.tables.ts';
import { CONTENT_SECURITY_POLICY, receiptPage } from './receipt-page.rules.ts';

/**
 * Assigns the next numbers of the year. The row of the series is locked until the transaction ends, so numbers are
 * assigned one transaction after the other, and a failed transaction uses none.
 */
const ASSIGN_NUMBERS = statement(
  `with series as (
     insert into receipt_series as s (org_id, year, last) values ($1, $2, cardinality($4::uuid[]))
     on conflict (org_id, year) do update set last = s.last + excluded.last returning s.last
   )
   insert into receipt (org_id, year, number, entry_id, student_id, seq, issued_on)
   select $1, $2, series.last - cardinality($4::uuid[]) + e.place, e.id, e.student_id, e.seq, $3::date
   from series cross join unnest($4::uuid[], $5::text[], $6::int[]) with ordinality as e (id, student_id, seq, place)`,
);

/**
 * Creates a receipt for each new entry that moves money, in the transaction that stores the entry and after all other
 * locks.
 */
export const createReceipts = (tx: LedgerTx, ledgers: OpenLedgers, { zone }: Pick<Policy, 'zone'>): void => {
  const sold = [...ledgers.values()].flatMap(({ student_id, entries }) =>
    entries.flatMap(({ id, seq, price_minor }) => (price_minor === null ? [] : [{ id, student_id, seq }])),
  );
  if (sold.length === 0) return;
  const date = localDate(tx.now, zone);
  const columns = [sold.map((it) => it.id), sold.map((it) => it.student_id), sold.map((it) => it.seq)] as const;
  tx.run(ASSIGN_NUMBERS, tx.org_id, Number(date.slice(0, 4)), date, ...columns);
};

const NUMBERED = RECEIPT.pick('number', 'year', 'entry_id', 'student_id', 'issued_on');
const NAMED = nameColumns('r', 'student_id');
const MOVED = HOUR_ENTRY.pick('kind', 'price_minor', 'currency', 'created_at');
const BOUGHT = HOUR_LOT.pick('package_id', 'package_title', 'package_version');
const FIND = statement(
  `select ${NUMBERED.withAlias('r')}, ${NAMED.columns}, ${MOVED.withAlias('e')}, abs(e.amount)::numeric(12, 2) as hours, ${BOUGHT.withAlias('l')}
   from receipt r join hour_entry e on e.org_id = r.org_id and e.student_id = r.student_id and e.seq = r.seq
   join hour_lot l on l.org_id = e.org_id and l.student_id = e.student_id and l.id = e.lot_id
   where r.org_id = $1 and r.entry_id = $2`,
  { ...NUMBERED.shape, ...NAMED.shape, ...MOVED.shape, hours: notNull(hundredths()), ...BOUGHT.shape },
);

/**
 * The receipt of a grant or refund that moved money. Supervisors may read it, and its student if prices are visible to
 * the student.
 */
export const getReceipt: Handler<typeof ledgerCalls.getReceipt> = async ({ path: { entry_id } }, session) => {
  const { org_id, access, accept } = session;
  const [found, { org_name }, isShown] = await Promise.all([
    session.queryOne(FIND, org_id, entry_id),
    policyInForce(session, org_id),
    canSeePrices(session),
  ]);
  if (found === undefined || !access.allows({ self: isShown && found.student_id })) throw notFound('Receipt');
  await auditAccountRead(session, found.student_id);
  const { issued_on: date, created_at: issued_at, kind, price_minor, currency, ...rest } = found;
  if (price_minor === null || currency === null) throw new Error(`the receipt of ${entry_id} has no price`);
  const receipt: Receipt = {
    ...rest,
    kind: kind === 'refund' ? 'refund' : 'grant',
    price_minor,
    currency,
    org_name,
    date,
    issued_at,
  };
  if (accept !== 'text/html') return receipt;
  return new Reply<Receipt>(receiptPage(receipt), {
    type: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': CONTENT_SECURITY_POLICY },
  });
};
