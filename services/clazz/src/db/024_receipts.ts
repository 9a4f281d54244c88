import { migration, tenantTable } from '@teaching/kit';

/**
 * Receipts of payments and refunds, numbered without gaps for each org and year from 1.
 * The series is locked from assigning a number until the transaction ends, and a failed transaction uses no number.
 * Earlier sales get their numbers in the order of the sales.
 */
export const receipts = migration(
  '119_receipts',
  `
  create table receipt_series (
    org_id uuid not null,
    year int not null,
    last int not null check (last > 0),
    primary key (org_id, year)
  );
  ${tenantTable('clazz', 'receipt_series', { app: 'select, insert, update' })}
  create table receipt (
    org_id uuid not null,
    year int not null,
    number int not null check (number > 0),
    entry_id uuid not null,
    -- The rest of the entry's key.
    student_id text not null,
    seq int not null,
    -- In the org's zone, which may be another one later.
    issued_on date not null check (extract(year from issued_on) = year),
    primary key (org_id, year, number)
  );
  create unique index receipt_of_entry on receipt (org_id, entry_id);
  ${tenantTable('clazz', 'receipt', { app: 'select, insert' })}

  insert into receipt (org_id, year, number, entry_id, student_id, seq, issued_on)
  select org_id, year, row_number() over (partition by org_id, year order by created_at, student_id, seq), id, student_id, seq, day
  from (
    select e.*, d.day, extract(year from d.day)::int as year from hour_entry e
    cross join lateral (select (e.created_at at time zone coalesce((select p.settings ->> 'zone' from policy p
      where p.org_id = e.org_id order by p.version desc limit 1), 'UTC'))::date as day) d
    where e.price_minor is not null
  ) as sold;
  insert into receipt_series (org_id, year, last) select org_id, year, max(number) from receipt group by org_id, year;
`,
);
