import { migration, tenantTable } from '@teaching/kit';

const worker = 'select, insert, update, delete';
const readOnly = (table: string): string => tenantTable('stats', table, { app: 'select', worker });

/**
 * The last state of every record in events. `gen` is the generation: a rebuild fills a new generation beside the
 * current one. A state is replaced only by a later state of the same record. `version` or `revision` of the record
 * decides, then `seq`, the offset of the event in the log of its source.
 *
 * Keys that the projection joins by begin with the record, not with the org. Otherwise several indexes would have the
 * same first columns. Before the first ANALYZE, the planner would use only these columns and read the whole org.
 */
export const records = migration(
  '001_records',
  `
  create table generation (
    gen int primary key,
    state text not null check (state in ('current', 'building', 'old')),
    -- How far each source's history has been replayed into a generation being built.
    replayed json not null default '{}',
    -- How far it has to be: the newest events once the projector fed the new generation, too.
    target json,
    started_at timestamptz(3) not null default now()
  );
  create unique index generation_current on generation (state) where state = 'current';
  create unique index generation_building on generation (state) where state = 'building';
  insert into generation (gen, state) values (1, 'current');
  grant select on generation to stats_app;
  grant select, insert, update, delete on generation to stats_worker;

  create table clazz (
    org_id uuid not null, gen int not null, id uuid not null,
    name text not null,
    status text not null,
    lead_teacher_id text not null,
    version int not null,
    seq bigint not null,
    primary key (org_id, gen, id)
  );
  ${readOnly('clazz')}

  create table lesson (
    org_id uuid not null, gen int not null, id uuid not null,
    clazz_id uuid not null,
    teacher_id text not null,
    starts_at timestamptz(3) not null,
    ends_at timestamptz(3) not null,
    hours numeric(12, 2) not null,
    -- A deleted lesson stays as a mark that nothing older may bring it back.
    status text not null check (status in ('scheduled', 'held', 'cancelled', 'deleted')),
    version int not null,
    seq bigint not null,
    primary key (id, org_id, gen)
  ) with (fillfactor = 85);
  create index lesson_clazz on lesson (clazz_id, org_id, gen, starts_at);
  ${readOnly('lesson')}

  create table mark (
    org_id uuid not null, gen int not null, lesson_id uuid not null, student_id text not null,
    mark text,
    marked_by text not null,
    marked_at timestamptz(3) not null,
    charged_hours numeric(12, 2) not null,
    revision int not null,
    seq bigint not null,
    primary key (lesson_id, org_id, gen, student_id)
  ) with (fillfactor = 85);
  ${readOnly('mark')}

  -- When the first mark of a lesson was set, whatever became of that mark.
  create table roll_call (
    org_id uuid not null, gen int not null, lesson_id uuid not null,
    taken_at timestamptz(3) not null,
    primary key (lesson_id, org_id, gen)
  );
  ${readOnly('roll_call')}

  create table enrolment (
    org_id uuid not null, gen int not null, id uuid not null,
    clazz_id uuid not null,
    student_id text not null,
    status text not null,
    -- When the student really belongs to the class.
    during tstzmultirange not null,
    seq bigint not null,
    primary key (id, org_id, gen)
  );
  create index enrolment_student on enrolment (student_id, org_id, gen);
  create index enrolment_clazz on enrolment (clazz_id, org_id, gen);
  ${readOnly('enrolment')}

  create table leave (
    org_id uuid not null, gen int not null, id uuid not null,
    clazz_id uuid not null,
    lesson_id uuid not null,
    student_id text not null,
    status text not null,
    in_time boolean not null,
    requested_at timestamptz(3) not null,
    decided_by text,
    decided_at timestamptz(3),
    seq bigint not null,
    primary key (org_id, gen, id)
  );
  create index leave_decided on leave (decided_by, org_id, gen, decided_at) where decided_by is not null;
  ${readOnly('leave')}

  create table entry (
    org_id uuid not null, gen int not null, id uuid not null,
    student_id text not null,
    kind text not null,
    lot_id uuid,
    amount numeric(12, 2) not null,
    lesson_id uuid,
    clazz_id uuid,
    created_at timestamptz(3) not null,
    primary key (org_id, gen, id)
  );
  create index entry_student on entry (org_id, gen, student_id, created_at);
  create index entry_org on entry (org_id, gen, created_at);
  ${readOnly('entry')}

  create table lot (
    org_id uuid not null, gen int not null, id uuid not null,
    student_id text not null,
    kind text not null,
    granted numeric(12, 2) not null,
    remaining numeric(12, 2) not null,
    expires_at timestamptz(3),
    seq bigint not null,
    primary key (org_id, gen, id)
  );
  create index lot_student on lot (student_id, org_id, gen) where remaining <> 0;
  create index lot_expiry on lot (org_id, gen, expires_at) include (remaining) where remaining <> 0;
  ${readOnly('lot')}

  -- One row for each marked submission, by its first marking: a regrade is no further piece of work.
  create table marking (
    org_id uuid not null, gen int not null, submission_id uuid not null,
    marker_id text not null,
    student_id text not null,
    submitted_at timestamptz(3) not null,
    marked_at timestamptz(3) not null,
    revision int not null,
    primary key (org_id, gen, submission_id)
  );
  create index marking_marker on marking (marker_id, org_id, gen, marked_at);
  ${readOnly('marking')}

  create table member (
    org_id uuid not null, gen int not null, user_id text not null,
    display_name text not null,
    seq bigint not null,
    primary key (org_id, gen, user_id)
  );
  ${readOnly('member')}
`,
);
