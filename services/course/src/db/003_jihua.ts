import { migration, tenantTable } from '@teaching/kit';

/** Plans and check-ins (rules, part 3). */
export const jihua = migration(
  '003_jihua',
  `
  create table jihua (
    org_id uuid not null,
    id uuid not null,
    teacher_id text not null,
    title text not null,
    starts_on date not null,
    ends_on date not null check (ends_on >= starts_on),
    zone text not null,
    weekdays int[],
    rrule text,
    items jsonb not null default '[]',
    backfill_days int not null,
    frozen_dates date[] not null default '{}',
    -- Worked out when the plan is written, so that a past day never flips by itself.
    planned_dates date[] not null,
    version int not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    search text not null generated always as (lower(title)) stored,
    primary key (org_id, id),
    check (weekdays is null or rrule is null)
  );
  create index jihua_created on jihua (org_id, created_at desc, id desc);
  create index jihua_of_teacher on jihua (org_id, teacher_id);
  create index jihua_search on jihua using gin (org_id, search public.gin_trgm_ops);
  ${tenantTable('course', 'jihua')}

  create table jihua_student (
    org_id uuid not null,
    jihua_id uuid not null,
    student_id text not null,
    primary key (org_id, jihua_id, student_id),
    foreign key (org_id, jihua_id) references jihua on delete cascade
  );
  create index jihua_of_student on jihua_student (org_id, student_id, jihua_id);
  ${tenantTable('course', 'jihua_student')}

  create table daka (
    org_id uuid not null,
    id uuid not null,
    jihua_id uuid not null,
    student_id text not null,
    local_date date not null,
    content jsonb,
    backfilled boolean not null,
    version int not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    -- One check-in a day, and the whole of a streak side by side.
    primary key (org_id, jihua_id, student_id, local_date),
    foreign key (org_id, jihua_id) references jihua
  ) with (fillfactor = 90);
  create index daka_of_jihua on daka (org_id, jihua_id, local_date, id);
  create index daka_of_student on daka (org_id, student_id, local_date, id);
  create index daka_of_org on daka (org_id, local_date, id);
  ${tenantTable('course', 'daka')}
`,
);
