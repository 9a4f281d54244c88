import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import type { PlayedHistory } from './play-history.ts';

type Figures = Record<string, number | string>;
export interface StatisticsFigures {
  students: Record<string, Figures>;
  teachers: Record<string, Figures>;
  org: Figures;
}

const MARK_NAMES = ['present', 'late', 'absent', 'leave', 'makeup', 'trial'];
const counts = MARK_NAMES.map((mark) => `count(*) filter (where mark = '${mark}')::int as ${mark}`).join(', ');

/** SQL of the seats of each lesson, from the tables of the class service. */
export const SEATS = `
  with newest as (
    select distinct on (org_id, lesson_id, student_id) *
    from clazz.mark_revision order by org_id, lesson_id, student_id, revision desc
  ), person as (
    select l.id as lesson_id, p.student_id from clazz.lesson l
    join clazz.enrolment_period p on p.org_id = l.org_id and p.clazz_id = l.clazz_id and p.during @> l.starts_at
    where l.org_id = $1
    union select lesson_id, student_id from newest where org_id = $1
    union select lesson_id, student_id from clazz.make_up_credit where org_id = $1 and lesson_id is not null
  ), seat as (
    select l.id as lesson_id, l.teacher_id, l.status, n.mark, coalesce(n.charged_hours, 0) as charged_hours, person.student_id,
      exists (select from clazz.enrolment_period p where p.org_id = l.org_id and p.clazz_id = l.clazz_id
        and p.student_id = person.student_id and p.during @> l.starts_at) as belongs,
      exists (select from clazz.make_up_credit c
        where c.org_id = $1 and c.lesson_id = l.id and c.student_id = person.student_id) as makes_up
    from person join clazz.lesson l on l.org_id = $1 and l.id = person.lesson_id
    left join newest n on n.org_id = $1 and n.lesson_id = l.id and n.student_id = person.student_id
  ), counted as (
    select * from seat where status <> 'cancelled' and (belongs or mark is not null)
  ), own as (
    select * from seat where status <> 'cancelled' and (belongs or mark is not null or makes_up)
  )`;

const decimal = (value: unknown): string => Number(value).toFixed(2);

const studentFigures = async (fixture: Fixture, org: string, id: string, now: Date): Promise<Figures> => {
  const [seats] = await fixture.sql<Figures>(
    `${SEATS} select count(*)::int as scheduled, count(*) filter (where status = 'held')::int as held, ${counts},
      count(*) filter (where mark is null)::int as unmarked,
      (select coalesce(sum(charged_hours), 0) from seat where student_id = $2) as hours_consumed
     from own where student_id = $2`,
    [org, id],
  );
  const [hours] = await fixture.sql<Figures>(
    `select coalesce(sum(amount) filter (where kind in ('grant', 'reverse') and lesson_id is null), 0) as granted,
       -coalesce(sum(amount) filter (where lesson_id is not null), 0) as consumed,
       coalesce(sum(amount) filter (where kind = 'adjust'), 0) as adjusted,
       coalesce(sum(amount) filter (where kind = 'transfer_in'), 0) as transferred_in,
       -coalesce(sum(amount) filter (where kind = 'transfer_out'), 0) as transferred_out,
       -coalesce(sum(amount) filter (where kind = 'refund'), 0) as refunded,
       (select coalesce(sum(remaining), 0) from clazz.hour_lot
         where org_id = $1 and student_id = $2 and expires_at <= $3)
         - coalesce(sum(amount) filter (where kind = 'expire'), 0) as expired,
       coalesce(sum(amount), 0) - (select coalesce(sum(remaining), 0) from clazz.hour_lot
         where org_id = $1 and student_id = $2 and expires_at <= $3) as remaining,
       (select coalesce(sum(remaining), 0) from clazz.hour_lot
         where org_id = $1 and student_id = $2 and expires_at > $3 and expires_at <= $3::timestamptz + interval '30 days')
         as expiring_30d
     from clazz.hour_entry where org_id = $1 and student_id = $2`,
    [org, id, now],
  );
  const figures = { ...seats, ...hours };
  return withRates({
    ...figures,
    ...Object.fromEntries(
      ['hours_consumed', ...Object.keys(hours ?? {})].map((name) => [name, decimal(figures[name])]),
    ),
  });
};

const withRates = (figures: Figures): Figures => {
  const numerator = Number(figures['present']) + Number(figures['late']);
  return { ...figures, numerator, denominator: numerator + Number(figures['absent']) };
};

/** The number of students by class and by week, as a text. Parts without students are left out. */
export const studentCounts = (parts: readonly { part: string; students: number }[]): string =>
  parts
    .filter(({ students }) => students > 0)
    .map(({ part, students }) => `${part}: ${students}`)
    .toSorted()
    .join(', ');

const teacherFigures = async (fixture: Fixture, org: string, id: string): Promise<Figures> => {
  const [lessons] = await fixture.sql<Figures>(
    `select count(*) filter (where status <> 'cancelled')::int as scheduled,
       count(*) filter (where status = 'held')::int as lessons_taught,
       count(*) filter (where status = 'held')::int as roll_calls,
       count(*) filter (where status = 'held' and (select min(marked_at) from clazz.mark_revision r
         where r.org_id = l.org_id and r.lesson_id = l.id and r.mark is not null)
         <= ends_at + interval '24 hours')::int as roll_calls_in_time,
       coalesce(sum(hours) filter (where status = 'held'), 0) as hours_taught
     from clazz.lesson l where org_id = $1 and teacher_id = $2`,
    [org, id],
  );
  const [seats] = await fixture.sql<Figures>(
    `${SEATS} select count(distinct student_id)::int as students, ${counts},
       count(*) filter (where mark is null)::int as unmarked
     from counted where teacher_id = $2`,
    [org, id],
  );
  const parts = await fixture.sql<{ part: string; students: number }>(
    `${SEATS} select coalesce(l.clazz_id::text, date_trunc('week', l.starts_at at time zone 'UTC')::date::text) as part,
       count(distinct student_id)::int as students
     from counted join clazz.lesson as l on l.org_id = $1 and l.id = lesson_id
     where l.teacher_id = $2 group by grouping sets ((l.clazz_id), (date_trunc('week', l.starts_at at time zone 'UTC')))`,
    [org, id],
  );
  const { present, late, absent, leave: _leave, makeup: _makeup, trial: _trial, ...rest } = seats ?? {};
  const { numerator = 0, denominator = 0 } = withRates({ present: present ?? 0, late: late ?? 0, absent: absent ?? 0 });
  return {
    ...lessons,
    hours_taught: decimal(lessons?.['hours_taught']),
    ...rest,
    students_of: studentCounts(parts),
    numerator,
    denominator,
  };
};

const NO_WORK = { markings: 0, seconds: 0, leave_handled: 0 };
/**
 * The markings and the decided leave of each person. A marking is the first mark by a person of an attempt that no
 * machine marks. The deciders of existing leave are taken from the played history, not from the service.
 */
const workFigures = async (
  fixture: Fixture,
  org: string,
  { deciders }: PlayedHistory,
): Promise<Map<string, typeof NO_WORK>> => {
  const work = new Map<string, typeof NO_WORK>();
  const add = (id: string, name: keyof typeof NO_WORK, by: number): void => {
    const known = work.get(id) ?? NO_WORK;
    work.set(id, { ...known, [name]: known[name] + by });
  };
  const markings = await fixture.sql<{ marker: string; seconds: number }>(
    `select distinct on (s.id) r.marked_by as marker,
       extract(epoch from r.marked_at - s.submitted_at)::int as seconds
     from course.submission as s
     join course.lianxi as l on l.org_id = s.org_id and l.id = s.lianxi_id and l.title = 'Essay'
     join course.mark_revision as r on r.org_id = s.org_id and r.submission_id = s.id
     where s.org_id = $1 order by s.id, r.revision`,
    [org],
  );
  for (const { marker, seconds } of markings) {
    add(marker, 'markings', 1);
    add(marker, 'seconds', seconds);
  }
  const leaves = await fixture.sql<{ id: string }>('select id from clazz.leave where org_id = $1', [org]);
  for (const { id } of leaves) if (deciders.has(id)) add(deciders.get(id) ?? '', 'leave_handled', 1);
  return work;
};

const HOURS = [
  'granted',
  'adjusted',
  'transferred_in',
  'transferred_out',
  'consumed',
  'refunded',
  'expired',
  'remaining',
  'expiring_30d',
];

const orgFigures = async (fixture: Fixture, org: string, students: StatisticsFigures['students']): Promise<Figures> => {
  const [row] = await fixture.sql<Figures>(
    `${SEATS} select ${counts}, count(*) filter (where mark is null)::int as unmarked,
       (select count(*)::int from clazz.lesson where org_id = $1 and status <> 'cancelled') as scheduled,
       (select count(*)::int from clazz.lesson where org_id = $1 and status = 'held') as held,
       (select coalesce(sum(hours), 0) from clazz.lesson where org_id = $1 and status = 'held') as hours_taught,
       (select coalesce(sum(charged_hours), 0) from seat) as hours_consumed,
       (select count(*)::int from clazz.clazz where org_id = $1 and status = 'active') as clazzes_active,
       (select count(distinct student_id)::int from clazz.enrolment where org_id = $1 and status = 'active') as students_active
     from counted`,
    [org],
  );
  const sum = (name: string): string =>
    decimal(Object.values(students).reduce((all, figures) => all + Math.round(Number(figures[name]) * 100), 0) / 100);
  return {
    ...row,
    hours_taught: decimal(row?.['hours_taught']),
    hours_consumed: decimal(row?.['hours_consumed']),
    ...Object.fromEntries(HOURS.map((name) => [name, sum(name)])),
  };
};

/**
 * Computes the figures from the tables of the source services. The roll calls in time are the sum over the teachers.
 */
export const recomputeFigures = async (
  fixture: Fixture,
  org: string,
  now: Date,
  played: PlayedHistory,
  like: StatisticsFigures,
): Promise<StatisticsFigures> => {
  const students: StatisticsFigures['students'] = {};
  for (const id of Object.keys(like.students)) students[id] = await studentFigures(fixture, org, id, now);
  const work = await workFigures(fixture, org, played);
  const teachers: StatisticsFigures['teachers'] = {};
  for (const id of Object.keys(like.teachers)) {
    teachers[id] = { ...(await teacherFigures(fixture, org, id)), ...(work.get(id) ?? NO_WORK) };
  }
  const all = (name: string): number => Object.values(teachers).reduce((sum, it) => sum + Number(it[name]), 0);
  const sums = ['roll_calls_in_time', ...Object.keys(NO_WORK)].map((name) => [name, all(name)]);
  return {
    students,
    teachers,
    org: { ...(await orgFigures(fixture, org, students)), ...Object.fromEntries(sums) },
  };
};
