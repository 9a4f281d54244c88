import { migration } from '@teaching/kit';

/** Sums of an account that events contain and statistics need, stored with the account. */
export const sumsOfAccounts = migration(
  '102_sums_of_accounts',
  `
  -- Hours ever granted, and charges less what was given back.
  alter table hour_account
    add column granted numeric(16, 2) not null default 0,
    add column consumed numeric(16, 2) not null default 0,
    add check (last_seq is not null or (granted = 0 and consumed = 0));
  update hour_account as a set granted = e.granted, consumed = e.consumed
  from (
    select org_id, student_id, coalesce(sum(amount) filter (where kind = 'grant'), 0) as granted,
      -coalesce(sum(amount) filter (where kind in ('consume', 'reverse')), 0) as consumed
    from hour_entry group by org_id, student_id
  ) as e
  where e.org_id = a.org_id and e.student_id = a.student_id;
`,
);
