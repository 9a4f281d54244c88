import { migration, numberedLog, tenantTable } from '@teaching/kit';

/** Each generation is a follower with its own positions. They show its progress. */
export const generationsFollow = migration(
  '100_generations_follow',
  `
  alter table generation drop column replayed, drop column target, add column why text;
  update generation set state = 'old' where state = 'building';
`,
);

export const numberedEvents = numberedLog('stats', {
  follower: "'statistics ' || (select gen from generation where state = 'current')",
});

/**
 * Events contain the sums of an account with its entries, and the sums are stored as they are. `seq` alone decides
 * which of two states is later. Sums have no upper limit.
 */
export const statesOfAccounts = migration(
  '101_states_of_accounts',
  `
  create table account (
    org_id uuid not null, gen int not null, student_id text not null,
    granted numeric not null, consumed numeric not null, balance numeric not null,
    -- 0: counted up from entries, since no event has told the state yet.
    seq bigint not null,
    primary key (student_id, org_id, gen)
  ) with (fillfactor = 50);
  ${tenantTable('stats', 'account', { app: 'select', worker: 'select, insert, update, delete' })}
  insert into account (org_id, gen, student_id, granted, consumed, balance, seq)
  select org_id, gen, student_id, coalesce(sum(amount) filter (where kind = 'grant'), 0),
    -coalesce(sum(amount) filter (where kind in ('consume', 'reverse')), 0), sum(amount), 0
  from entry group by org_id, gen, student_id;

  alter table clazz drop column version;
  -- Entries are read by student only, and few of one student at a time.
  alter table entry drop column lot_id, drop constraint entry_pkey, add primary key (org_id, gen, student_id, id);
  alter table lot drop column granted, set (fillfactor = 50);
  alter table mark set (fillfactor = 100);
  alter table clazz_figure alter hours_taught type numeric, alter hours_consumed type numeric;
  alter table org_figure alter hours_taught type numeric, alter hours_consumed type numeric;
  alter table org_account alter granted type numeric, alter consumed type numeric, alter balance type numeric;
`,
);

/** Sums of an organization's hours by kind, and indexes for explanations of current figures. */
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

/**
 * The last change of each organization. It decides whether a cached answer is still valid: see `figures/org-change.ts`.
 */
export const orgChange = migration(
  '105_org_change',
  `
  create table org_change (
    org_id uuid not null, gen int not null, id uuid not null,
    primary key (org_id, gen)
  ) with (fillfactor = 50);
  ${tenantTable('stats', 'org_change', { app: 'select', worker: 'select, insert, update, delete' })}
`,
);
