import { migration, tenantTable } from '@teaching/kit';

/** Classes, the periods of their students, and their lessons (domain rules, sections 4 and 5). */
export const classes = migration(
  '001_classes',
  `
  create table clazz (
    org_id uuid not null,
    id uuid not null,
    name text not null,
    course_id uuid,
    course_package_id uuid,
    lead_teacher_id text not null,
    assistant_ids text[] not null default '{}',
    capacity int check (capacity >= 0),
    zone text not null,
    starts_on date,
    ends_on date,
    status text not null check (status in ('draft', 'active', 'completed', 'cancelled')),
    completed_at timestamptz(3),
    version int not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (org_id, id),
    check ((status = 'completed') = (completed_at is not null))
  );
  ${tenantTable('clazz', 'clazz')}

  create table enrolment (
    org_id uuid not null,
    id uuid not null,
    clazz_id uuid not null,
    student_id text not null,
    status text not null
      check (status in ('waiting', 'active', 'suspended', 'withdrawn', 'transferred', 'completed')),
    since timestamptz(3) not null,
    until timestamptz(3),
    created_at timestamptz(3) not null,
    -- Order on the waiting list.
    seq bigint generated always as identity,
    primary key (org_id, id),
    foreign key (org_id, clazz_id) references clazz on delete cascade
  );
  -- A student has one living enrolment in a class; ended ones stay as history.
  create unique index enrolment_living on enrolment (org_id, clazz_id, student_id)
    where status in ('waiting', 'active', 'suspended');
  create index enrolment_student on enrolment (org_id, student_id);
  ${tenantTable('clazz', 'enrolment')}

  -- When a student really belonged to a class: opened by active, closed by suspension or the end.
  -- A student is listed at a lesson if such a period contains the lesson's start.
  create table enrolment_period (
    org_id uuid not null,
    enrolment_id uuid not null,
    clazz_id uuid not null,
    student_id text not null,
    during tstzrange not null check (not isempty(during)),
    primary key (org_id, enrolment_id, during),
    foreign key (org_id, enrolment_id) references enrolment on delete cascade,
    exclude using gist (org_id with =, clazz_id with =, student_id with =, during with &&)
  );
  ${tenantTable('clazz', 'enrolment_period')}

  create table lesson (
    org_id uuid not null,
    id uuid not null,
    clazz_id uuid not null,
    series_id uuid,
    teacher_id text not null,
    room text,
    starts_at timestamptz(3) not null,
    ends_at timestamptz(3) not null check (ends_at > starts_at),
    zone text not null,
    hours numeric(12, 2) not null check (hours >= 0),
    status text not null check (status in ('scheduled', 'held', 'cancelled')),
    cancelled_by text check (cancelled_by in ('teacher', 'org')),
    cancel_reason text,
    version int not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (org_id, id),
    foreign key (org_id, clazz_id) references clazz on delete cascade
  );
  create index lesson_clazz on lesson (org_id, clazz_id, starts_at);
  create index lesson_teacher on lesson (org_id, teacher_id, starts_at);
  ${tenantTable('clazz', 'lesson')}
`,
);
