import { migration, tenantTable } from '@teaching/kit';

/**
 * What an account knows is told with its entries and stored as it is told. `seq` alone says which of two states
 * is the later. Sums hold any history.
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
