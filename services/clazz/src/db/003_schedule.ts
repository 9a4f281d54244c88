import { migration, tenantTable } from '@teaching/kit';

/**
 * Series, holidays, and the constraints that make clashes impossible.
 * Intervals are half-open, and cancelled and overridden lessons are ignored. The constraints are checked at the end of
 * a statement: when a whole series moves, one lesson may take the time that another one leaves.
 */
export const schedule = migration(
  '003_schedule',
  `
  create table series (
    org_id uuid not null,
    id uuid not null,
    clazz_id uuid not null,
    starts_on date not null,
    start_time text not null,
    duration_minutes int not null check (duration_minutes > 0),
    zone text not null,
    rrule text not null,
    until date,
    count int,
    created_at timestamptz(3) not null,
    primary key (org_id, id),
    foreign key (org_id, clazz_id) references clazz on delete cascade
  );
  ${tenantTable('clazz', 'series')}

  alter table lesson
    add column override boolean not null default false,
    add foreign key (org_id, series_id) references series on delete cascade,
    add check (ends_at <= starts_at + interval '24 hours'),
    add constraint lesson_teacher_free
      exclude using gist (org_id with =, teacher_id with =, tstzrange(starts_at, ends_at) with &&)
      where (status <> 'cancelled' and not override) deferrable initially immediate,
    add constraint lesson_room_free
      exclude using gist (org_id with =, room with =, tstzrange(starts_at, ends_at) with &&)
      where (status <> 'cancelled' and not override and room is not null) deferrable initially immediate;
  create index lesson_room on lesson (org_id, room, starts_at) where room is not null;
  create index lesson_series on lesson (org_id, series_id, starts_at) where series_id is not null;

  -- The students expected at a lesson that is not cancelled: those whose period contains its start.
  -- The constraint compares 64-bit hashes of org and student, three times as fast as the texts; that two
  -- students share one is as likely as guessing it, and would only refuse a lesson.
  create table lesson_student (
    org_id uuid not null,
    lesson_id uuid not null,
    clazz_id uuid not null,
    student_id text not null,
    starts_at timestamptz(3) not null,
    ends_at timestamptz(3) not null,
    override boolean not null,
    person bigint not null generated always as (hashtextextended(org_id::text || ' ' || student_id, 0)) stored,
    primary key (org_id, lesson_id, student_id),
    foreign key (org_id, lesson_id) references lesson on delete cascade,
    constraint lesson_student_free
      exclude using gist (person with =, tstzrange(starts_at, ends_at) with &&)
      where (not override) deferrable initially immediate
  );
  create index lesson_student_student on lesson_student (org_id, student_id, starts_at);
  create index lesson_student_clazz on lesson_student (org_id, clazz_id, student_id);
  ${tenantTable('clazz', 'lesson_student')}

  create table holiday (
    org_id uuid not null,
    date date not null,
    name text not null,
    primary key (org_id, date)
  );
  ${tenantTable('clazz', 'holiday')}
`,
);
