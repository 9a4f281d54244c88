import { migration, tenantTable } from '@teaching/kit';

/** Exercises, attempts and their marks (rules, part 3). */
export const lianxi = migration(
  '002_lianxi',
  `
  create table lianxi (
    org_id uuid not null,
    id uuid not null,
    course_id uuid not null,
    course_section_id uuid not null,
    teacher_id text not null,
    title text not null,
    content jsonb not null,
    question_count int not null,
    total_points numeric(12, 2) not null,
    due_at timestamptz(3),
    clazz_id uuid,
    version int not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    search text not null generated always as (lower(title)) stored,
    primary key (org_id, id),
    constraint lianxi_section foreign key (org_id, course_id, course_section_id)
      references course_section (org_id, course_id, id)
  );
  create index lianxi_created on lianxi (org_id, created_at desc, id desc);
  create index lianxi_of_section on lianxi (org_id, course_section_id);
  create index lianxi_of_course on lianxi (org_id, course_id);
  create index lianxi_of_clazz on lianxi (org_id, clazz_id) where clazz_id is not null;
  create index lianxi_of_teacher on lianxi (org_id, teacher_id);
  create index lianxi_search on lianxi using gin (org_id, search public.gin_trgm_ops);
  ${tenantTable('course', 'lianxi')}

  create table lianxi_student (
    org_id uuid not null,
    lianxi_id uuid not null,
    student_id text not null,
    primary key (org_id, lianxi_id, student_id),
    foreign key (org_id, lianxi_id) references lianxi on delete cascade
  );
  create index lianxi_of_student on lianxi_student (org_id, student_id, lianxi_id);
  ${tenantTable('course', 'lianxi_student')}

  create table lianxi_extension (
    org_id uuid not null,
    lianxi_id uuid not null,
    student_id text not null,
    due_at timestamptz(3) not null,
    granted_by text not null,
    updated_at timestamptz(3) not null,
    primary key (org_id, lianxi_id, student_id),
    foreign key (org_id, lianxi_id) references lianxi on delete cascade
  );
  ${tenantTable('course', 'lianxi_extension')}

  -- Whether an attempt is late is not stored: it follows from the due time in force when it is read.
  -- Nor is the state "marking": it is a claim that has not expired.
  create table submission (
    org_id uuid not null,
    id uuid not null,
    lianxi_id uuid not null,
    -- Of the practice, so that a teacher's queue is one index.
    teacher_id text not null,
    student_id text not null,
    attempt int not null,
    answers jsonb not null,
    submitted_at timestamptz(3) not null,
    status text not null check (status in ('submitted', 'marked', 'released')),
    claimed_by text,
    claim_expires_at timestamptz(3),
    revision int not null default 0,
    score numeric(12, 2),
    points jsonb not null default '{}',
    comment text,
    rubric jsonb,
    marked_by text,
    marked_at timestamptz(3),
    released_at timestamptz(3),
    version int not null default 1,
    primary key (org_id, id),
    constraint submission_attempt unique (org_id, lianxi_id, student_id, attempt),
    foreign key (org_id, lianxi_id) references lianxi,
    check ((status = 'submitted') = (revision = 0)),
    check ((status = 'released') = (released_at is not null)),
    check ((claimed_by is null) = (claim_expires_at is null))
  ) with (fillfactor = 85);
  create index submission_of_lianxi on submission (org_id, lianxi_id, submitted_at, id);
  create index submission_of_student on submission (org_id, student_id, lianxi_id);
  create index submission_queue on submission (org_id, submitted_at, id) where status = 'submitted';
  create index submission_queue_of_teacher on submission (org_id, teacher_id, submitted_at, id)
    where status = 'submitted';
  ${tenantTable('course', 'submission')}

  create table mark_revision (
    org_id uuid not null,
    submission_id uuid not null,
    revision int not null,
    score numeric(12, 2) not null,
    points jsonb not null,
    comment text,
    rubric jsonb,
    reason text,
    -- Null: scored by machine.
    marked_by text,
    marked_at timestamptz(3) not null,
    primary key (org_id, submission_id, revision),
    foreign key (org_id, submission_id) references submission
  );
  ${tenantTable('course', 'mark_revision', { app: 'select, insert' })}
`,
);
