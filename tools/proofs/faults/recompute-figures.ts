import {
  ACCOUNT_FIGURES,
  type Figures,
  addFigures,
  CLAZZ_FIGURES,
  ORG_FIGURES,
  STUDENT_FIGURES,
  TEACHER_FIGURES,
} from './figures.ts';
import type { PostgresServer } from '../system/postgres-server.ts';

const marks = ['present', 'late', 'absent', 'leave', 'makeup', 'trial']
  .map((mark) => `count(*) filter (where mark = '${mark}') as ${mark}`)
  .join(', ');

/** One row per seat of each lesson: students who were enrolled at that time, and students with a mark. */
const SEATS = `
  with newest as (
    select distinct on (lesson_id, student_id) * from clazz.mark_revision
    where org_id = $1 order by lesson_id, student_id, revision desc
  ), person as (
    select l.id as lesson_id, p.student_id from clazz.lesson l
    join clazz.enrolment_period p on p.org_id = l.org_id and p.clazz_id = l.clazz_id and p.during @> l.starts_at
    where l.org_id = $1
    union select lesson_id, student_id from newest
  ), seat as (
    select l.id as lesson_id, l.clazz_id, l.teacher_id, l.status, n.mark, person.student_id,
      coalesce(n.charged_hours, 0) as charged_hours,
      exists (select from clazz.enrolment_period p where p.org_id = $1 and p.clazz_id = l.clazz_id
        and p.student_id = person.student_id and p.during @> l.starts_at) as belongs
    from person join clazz.lesson l on l.org_id = $1 and l.id = person.lesson_id
    left join newest n on n.lesson_id = l.id and n.student_id = person.student_id
  ), counted as (
    select * from seat where status <> 'cancelled' and (belongs or mark is not null)
  ), taught as (
    select l.*, status = 'held' and (select min(marked_at) from clazz.mark_revision r where r.org_id = $1
      and r.lesson_id = l.id and r.mark is not null) <= ends_at + interval '24 hours' as in_time
    from clazz.lesson l where org_id = $1
  )`;
const LESSONS = `count(*) filter (where status <> 'cancelled') as scheduled,
  count(*) filter (where status = 'held') as held, count(*) filter (where status = 'held') as lessons_taught,
  count(*) filter (where status = 'held') as roll_calls, count(*) filter (where in_time) as roll_calls_in_time,
  coalesce(sum(hours) filter (where status = 'held'), 0) as hours_taught`;
const OF_SEATS = `count(*) as scheduled, count(*) filter (where status = 'held') as held, ${marks}`;
const ENTRIES = `coalesce(sum(amount) filter (where kind in ('grant', 'reverse') and lesson_id is null), 0) as granted,
  -coalesce(sum(amount) filter (where lesson_id is not null), 0) as consumed,
  coalesce(sum(amount), 0) as remaining`;
const EXPIRED = `coalesce(sum(remaining) filter (where expires_at <= now()), 0) as expired,
  coalesce(sum(remaining) filter (where expires_at > now() and expires_at <= now() + interval '30 days'), 0) as expiring_30d`;

type Row = Readonly<Record<string, unknown>> & { it: string };
const DECIDED = 'from clazz.leave where org_id = $1 and decided_by is not null';
const MARKED = 'from course.mark_revision where org_id = $1 and revision = 1 and marked_by is not null';

/** Computes the figures of one organization from the tables of its sources. */
export const recomputeFigures = async (postgres: PostgresServer, org: string): Promise<Figures> => {
  const figures: Figures = new Map();
  const rows = (text: string): Promise<Row[]> => postgres.sql<Row>(text, [org]);
  const noteAll = async (kind: string, names: readonly string[], text: string): Promise<void> => {
    for (const row of await rows(text)) addFigures(figures, kind === 'org' ? 'org' : `${kind} ${row.it}`, row, names);
  };
  const noteSeats = async (kind: string, column: string, names: readonly string[]): Promise<void> => {
    await noteAll(kind, names, `${SEATS} select ${column} as it, ${OF_SEATS} from counted group by ${column}`);
    const charged = `select ${column} as it, sum(charged_hours) as hours_consumed from seat group by ${column}`;
    await noteAll(kind, names, `${SEATS} ${charged}`);
  };

  await noteSeats('student', 'student_id', STUDENT_FIGURES);
  await noteSeats('clazz', 'clazz_id', CLAZZ_FIGURES);
  await noteSeats('seat', "clazz_id || ' ' || student_id", STUDENT_FIGURES);
  await noteSeats('org', "'-'::text", ORG_FIGURES);
  await noteAll('clazz', CLAZZ_FIGURES, `${SEATS} select clazz_id as it, ${LESSONS} from taught group by clazz_id`);
  await noteAll('org', ORG_FIGURES, `${SEATS} select '-' as it, ${LESSONS} from taught`);
  await noteAll(
    'teacher',
    TEACHER_FIGURES,
    `${SEATS} select teacher_id as it, ${LESSONS} from taught group by teacher_id`,
  );
  const people = 'count(distinct student_id) as students from counted group by teacher_id';
  await noteAll('teacher', TEACHER_FIGURES, `${SEATS} select teacher_id as it, ${people}`);
  await noteAll('teacher', TEACHER_FIGURES, `select decided_by as it, count(*) as leave_handled ${DECIDED} group by 1`);
  await noteAll('teacher', TEACHER_FIGURES, `select marked_by as it, count(*) as markings ${MARKED} group by 1`);
  await noteAll(
    'org',
    ORG_FIGURES,
    `select '-' as it, (select count(*) ${DECIDED}) as leave_handled, (select count(*) ${MARKED}) as markings,
       (select count(*) from clazz.clazz where org_id = $1 and status = 'active') as clazzes_active,
       (select count(distinct student_id) from clazz.enrolment where org_id = $1 and status = 'active') as students_active`,
  );
  for (const [kind, column] of [
    ['student', 'student_id'],
    ['org', "'-'::text"],
  ] as const) {
    const entries = `select ${column} as it, ${ENTRIES} from clazz.hour_entry where org_id = $1 group by 1`;
    const lots = `select ${column} as it, ${EXPIRED} from clazz.hour_lot where org_id = $1 group by 1`;
    const both = `select *, e.remaining - coalesce(expired, 0) as remaining from (${entries}) e left join (${lots}) l using (it)`;
    await noteAll(kind, ACCOUNT_FIGURES, both);
  }
  return figures;
};
