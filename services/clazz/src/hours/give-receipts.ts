import type { Policy } from '@teaching/contracts';
import { localDate, statement } from '@teaching/kit';
import type { Books, LedgerTx } from './open-books.ts';

/**
 * Takes the next numbers of the year. The row of the series is locked until the transaction ends, so numbers are given one
 * transaction after the other, and one that fails gives its own back.
 */
const GIVE = statement(
  `with series as (
     insert into receipt_series as s (org_id, year, last) values ($1, $2, cardinality($4::uuid[]))
     on conflict (org_id, year) do update set last = s.last + excluded.last returning s.last
   )
   insert into receipt (org_id, year, number, entry_id, student_id, seq, issued_on)
   select $1, $2, series.last - cardinality($4::uuid[]) + e.place, e.id, e.student_id, e.seq, $3::date
   from series cross join unnest($4::uuid[], $5::text[], $6::int[]) with ordinality as e (id, student_id, seq, place)`,
);

/** A receipt for each new entry that moves money, in the transaction that stores it and after all other locks. */
export const giveReceipts = (tx: LedgerTx, books: Books, { zone }: Pick<Policy, 'zone'>): void => {
  const sold = [...books.values()].flatMap(({ student_id, entries }) =>
    entries.flatMap(({ id, seq, price_minor }) => (price_minor === null ? [] : [{ id, student_id, seq }])),
  );
  if (sold.length === 0) return;
  const date = localDate(tx.now, zone);
  const columns = [sold.map((it) => it.id), sold.map((it) => it.student_id), sold.map((it) => it.seq)] as const;
  tx.run(GIVE, tx.org_id, Number(date.slice(0, 4)), date, ...columns);
};
