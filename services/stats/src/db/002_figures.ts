import { migration, tenantTable } from '@teaching/kit';

const worker = 'select, insert, update, delete';
const readOnly = (table: string): string => tenantTable('stats', table, { app: 'select', worker });

/** Columns of the figures of one class at one instant, or of one org in one quarter of an hour. */
const COUNTS = `
  scheduled int not null, held int not null, hours_taught numeric(12, 2) not null,
  roll_calls_in_time int not null,
  -- Seats: students who belonged to the class then, or were marked there as guests.
  seats int not null, unmarked int not null, guests int not null,
  present int not null, late int not null, absent int not null,
  leave int not null, makeup int not null, trial int not null,
  hours_consumed numeric(12, 2) not null`;

/** The figures that answers are summed from. Instants are exact, so the days of any zone can be computed from them. */
export const figures = migration(
  '002_figures',
  `
  create table clazz_figure (
    org_id uuid not null, gen int not null, clazz_id uuid not null,
    at timestamptz(3) not null, teacher_id text not null,
    ${COUNTS},
    primary key (clazz_id, org_id, gen, at, teacher_id)
  ) with (fillfactor = 85);
  create index clazz_figure_teacher on clazz_figure (teacher_id, org_id, gen, at);
  ${readOnly('clazz_figure')}

  create table student_figure (
    org_id uuid not null, gen int not null, student_id text not null,
    at timestamptz(3) not null, clazz_id uuid not null,
    present int not null, late int not null, absent int not null,
    leave int not null, makeup int not null, trial int not null,
    hours_consumed numeric(12, 2) not null,
    primary key (student_id, org_id, gen, at, clazz_id)
  ) with (fillfactor = 85);
  ${readOnly('student_figure')}

  -- By quarter of an hour: no zone in use begins its days elsewhere.
  create table org_figure (
    org_id uuid not null, gen int not null, at timestamptz(3) not null,
    ${COUNTS.replaceAll(' int not null', ' int not null default 0').replaceAll('2) not null', '2) not null default 0')},
    markings int not null default 0, marking_seconds bigint not null default 0,
    leave_handled int not null default 0,
    primary key (org_id, gen, at)
  ) with (fillfactor = 70);
  ${readOnly('org_figure')}

  create table account (
    org_id uuid not null, gen int not null, student_id text not null,
    granted numeric(14, 2) not null default 0,
    consumed numeric(14, 2) not null default 0,
    balance numeric(14, 2) not null default 0,
    active_enrolments int not null default 0,
    primary key (org_id, gen, student_id)
  ) with (fillfactor = 80);
  ${readOnly('account')}

  create table org_account (
    org_id uuid not null, gen int not null,
    granted numeric(16, 2) not null default 0,
    consumed numeric(16, 2) not null default 0,
    balance numeric(16, 2) not null default 0,
    clazzes_active int not null default 0,
    students_active int not null default 0,
    primary key (org_id, gen)
  ) with (fillfactor = 50);
  ${readOnly('org_account')}
`,
);
