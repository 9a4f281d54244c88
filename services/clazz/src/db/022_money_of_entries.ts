import { migration } from '@teaching/kit';

/**
 * Entries contain the money that moved with the hours, and lots the title of the package.
 * Without a price there is no currency. Earlier rows keep their currency. Titles are stored from now on, because before
 * only the package id was stored.
 */
export const moneyOfEntries = migration(
  '117_money_of_entries',
  `
  alter table hour_lot
    alter column currency drop not null,
    add column package_title text,
    add check (price_minor = 0 or currency is not null);
  alter table hour_entry
    -- Money that changed hands with the hours: paid for a grant, given back by a refund.
    add column price_minor bigint check (price_minor > 0),
    add column currency text,
    add check ((price_minor is null) = (currency is null));
  update hour_entry as e set price_minor = l.price_minor, currency = l.currency
  from hour_lot as l
  where e.kind = 'grant' and l.org_id = e.org_id and l.student_id = e.student_id and l.id = e.lot_id
    and l.kind = 'paid' and l.price_minor > 0;
  update hour_entry as e set price_minor = r.amount_minor, currency = q.quote ->> 'currency'
  from refund_quote as q cross join lateral jsonb_to_recordset(q.quote -> 'lots') as r (lot_id uuid, amount_minor bigint)
  where e.kind = 'refund' and q.refunded_at is not null and q.org_id = e.org_id and q.student_id = e.student_id
    and e.reason = 'refund ' || q.id and r.lot_id = e.lot_id and r.amount_minor > 0;

  -- The ledger of an org by time: all of it, and what is no charge, which is a small part.
  create index hour_entry_at on hour_entry (org_id, created_at, id);
  create index hour_entry_no_charge on hour_entry (org_id, created_at, id) where kind not in ('consume', 'reverse');
`,
);
