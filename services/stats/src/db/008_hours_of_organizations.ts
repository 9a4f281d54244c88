import { migration } from '@teaching/kit';

/** What became of all hours of an organization, and ways to what explains figures of the present. */
export const hoursOfOrganizations = migration(
  '102_hours_of_organizations',
  `
  alter table org_account
    add column adjusted numeric not null default 0, add column transferred_in numeric not null default 0,
    add column transferred_out numeric not null default 0, add column refunded numeric not null default 0,
    add column expired numeric not null default 0;
  update org_account as o set adjusted = e.adjusted, transferred_in = e.transferred_in,
    transferred_out = e.transferred_out, refunded = e.refunded, expired = e.expired
  from (
    select org_id, gen, coalesce(sum(amount) filter (where kind = 'adjust'), 0) as adjusted,
      coalesce(sum(amount) filter (where kind = 'transfer_in'), 0) as transferred_in,
      -coalesce(sum(amount) filter (where kind = 'transfer_out'), 0) as transferred_out,
      -coalesce(sum(amount) filter (where kind = 'refund'), 0) as refunded,
      -coalesce(sum(amount) filter (where kind = 'expire'), 0) as expired
    from entry group by org_id, gen
  ) as e
  where e.org_id = o.org_id and e.gen = o.gen;

  -- Of the few entries that are neither grants nor charges.
  create index entry_kind on entry (org_id, gen, kind, student_id, id) where kind not in ('grant', 'consume', 'reverse');
  create index enrolment_active on enrolment (org_id, gen, student_id) where status = 'active';
`,
);
