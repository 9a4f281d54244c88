import { migration } from '@teaching/kit';

/**
 * An account has a sum for each kind of entry. Together they are the balance. The columns are large enough for any
 * history.
 */
export const sumsOfEveryKind = migration(
  '106_sums_of_every_kind',
  `
  alter table hour_entry
    alter column balance_before type numeric(16, 2), alter column balance_after type numeric(16, 2);
  alter table hour_account
    alter column balance type numeric(16, 2),
    add column adjusted numeric(16, 2) not null default 0,
    add column transferred_in numeric(16, 2) not null default 0,
    add column transferred_out numeric(16, 2) not null default 0,
    add column refunded numeric(16, 2) not null default 0,
    add column expired numeric(16, 2) not null default 0;
  update hour_account as a set adjusted = e.adjusted, transferred_in = e.transferred_in,
    transferred_out = e.transferred_out, refunded = e.refunded, expired = e.expired
  from (
    select org_id, student_id, coalesce(sum(amount) filter (where kind = 'adjust'), 0) as adjusted,
      coalesce(sum(amount) filter (where kind = 'transfer_in'), 0) as transferred_in,
      -coalesce(sum(amount) filter (where kind = 'transfer_out'), 0) as transferred_out,
      -coalesce(sum(amount) filter (where kind = 'refund'), 0) as refunded,
      -coalesce(sum(amount) filter (where kind = 'expire'), 0) as expired
    from hour_entry where kind in ('adjust', 'transfer_in', 'transfer_out', 'refund', 'expire')
    group by org_id, student_id
  ) as e
  where e.org_id = a.org_id and e.student_id = a.student_id;
  alter table hour_account add constraint hour_account_adds_up check (balance
    = granted + adjusted + transferred_in - transferred_out - consumed - refunded - expired);
`,
);
