import { migration, tenantTable } from '@teaching/kit';

/**
 * The teachers of a class and their periods, the relations that follow from them, and the records that a completion
 * ended.
 */
export const people = migration(
  '002_people',
  `
  create index clazz_created on clazz (org_id, created_at, id);
  create index clazz_lead on clazz (org_id, lead_teacher_id);

  -- The first lead's period has no beginning, so that back-dated enrolments find their teacher.
  create table staff_period (
    org_id uuid not null,
    id uuid not null default uuidv7(),
    clazz_id uuid not null,
    teacher_id text not null,
    role text not null check (role in ('lead', 'assistant')),
    during tstzrange not null check (not isempty(during)),
    primary key (org_id, id),
    foreign key (org_id, clazz_id) references clazz on delete cascade,
    exclude using gist (org_id with =, clazz_id with =, role with =, teacher_id with =, during with &&)
  );
  create index staff_period_clazz on staff_period (org_id, clazz_id);
  create index staff_period_teacher on staff_period (org_id, teacher_id);
  ${tenantTable('clazz', 'staff_period')}
  create index enrolment_period_student on enrolment_period (org_id, student_id);

  -- A teacher and a student are related while both belong to the class: nothing to keep in step.
  create view relation with (security_invoker = true) as
    select e.org_id, e.clazz_id, s.teacher_id, e.student_id, s.role, e.during * s.during as during,
      lower(e.during * s.during) as since, upper(e.during * s.during) as until,
      e.student_id || ' ' || s.teacher_id || ' ' || e.enrolment_id || ' ' || s.id || ' ' || lower(e.during) as id
    from enrolment_period e
    join staff_period s on s.org_id = e.org_id and s.clazz_id = e.clazz_id and s.during && e.during;
  grant select on relation to clazz_app, clazz_worker;

  -- What completing a class ended, for reopening it. Enrolments: [{id, status}].
  create table completion (
    org_id uuid not null,
    clazz_id uuid not null,
    at timestamptz(3) not null,
    lesson_ids uuid[] not null,
    enrolments jsonb not null,
    primary key (org_id, clazz_id),
    foreign key (org_id, clazz_id) references clazz on delete cascade
  );
  ${tenantTable('clazz', 'completion')}
`,
);
