import { MARKS } from '@teaching/contracts';
import { statement, type WorkerTransaction } from '@teaching/kit';
import { byMark, CLAZZ_FIGURE, type countColumns } from './figures.table.ts';
import { quarterOf } from './sql-fragments.ts';

export interface LessonKey {
  org_id: string;
  lesson_id: string;
}

/** The rows of class figures that must be computed again. */
export interface DirtyClazzes {
  moments: { org_id: string; clazz_id: string; at: string; teacher_id: string }[];
  lessons: LessonKey[];
  /** `during`: the periods that were added to, or removed from, the membership of a student. */
  enrolments: { org_id: string; clazz_id: string; during: string }[];
}

type Count = keyof ReturnType<typeof countColumns>;
const COUNTED = "(l.status <> 'cancelled')::int";
/** SQL of each figure of one lesson `l`, with its seats `t` and its roll call `r`. */
const COUNTS: Readonly<Record<Count, string>> = {
  scheduled: COUNTED,
  held: "(l.status = 'held')::int",
  hours_taught: "case when l.status = 'held' then l.hours else 0 end",
  roll_calls_in_time: "(l.status = 'held' and r.taken_at <= l.ends_at + interval '24 hours')::int",
  seats: `${COUNTED} * t.seats`,
  unmarked: `${COUNTED} * t.unmarked`,
  guests: `${COUNTED} * t.guests`,
  ...byMark((mark) => `${COUNTED} * t.${mark}`),
  hours_consumed: 't.hours_consumed',
};
const NAMES = Object.keys(COUNTS);
const KEY = CLAZZ_FIGURE.keys.filter((name) => name !== 'gen');
const list = (names: readonly string[], make: (name: string) => string = (name) => name): string =>
  names.map(make).join(', ');
const key = (alias: string): string => list(KEY, (name) => `${alias}.${name}`);

/** SQL of the seats of a lesson: the members of the class at its start, and guests with a mark. */
const SEATS = `
  select count(*) filter (where e.student_id is not null or m.mark is not null) as seats,
    count(*) filter (where e.student_id is not null and m.mark is null) as unmarked,
    count(*) filter (where e.student_id is null and m.mark is not null) as guests,
    ${list(MARKS, (mark) => `count(*) filter (where m.mark = '${mark}') as ${mark}`)},
    coalesce(sum(m.charged_hours), 0) as hours_consumed
  from (select student_id, mark, charged_hours from mark where org_id = l.org_id and gen = $1 and lesson_id = l.id) as m
  full join (
    select student_id from enrolment
    where org_id = l.org_id and gen = $1 and clazz_id = l.clazz_id and during @> l.starts_at
  ) as e on e.student_id = m.student_id`;

/**
 * Computes the changed figures of classes again from the records. The old values are replaced, not adjusted, so an
 * error cannot persist. Only the sums of the organization change by the difference.
 *
 * Postgres plans the statement when tables are small or not yet analyzed, and keeps the plan for long. So the statement
 * does not depend on the planner's size estimates: `offset 0` makes each step a search by key, `on conflict` finds a
 * row by its key, and a row to delete is found by its `ctid`.
 */
const REFRESH = statement(`
  with dirty as (
    select ${list(KEY)} from json_populate_recordset(null::clazz_figure, $2)
    union
    select l.org_id, l.clazz_id, l.starts_at, l.teacher_id
    from json_populate_recordset(null::mark, $3) as k
    cross join lateral (
      select * from lesson where org_id = k.org_id and gen = $1 and id = k.lesson_id offset 0
    ) as l
    union
    select l.org_id, l.clazz_id, l.starts_at, l.teacher_id
    from json_populate_recordset(null::enrolment, $4) as k
    cross join lateral (
      select * from lesson
      where org_id = k.org_id and gen = $1 and clazz_id = k.clazz_id and k.during @> starts_at and status <> 'deleted'
      offset 0
    ) as l
  ), fresh as (
    select ${key('d')}, ${list(NAMES, (name) => `coalesce(sum(x.${name}), 0) as ${name}`)}
    from dirty as d
    left join lateral (
      select ${list(Object.entries(COUNTS).map(([name, sql]) => `${sql} as ${name}`))}
      from lesson as l
      left join roll_call as r on r.org_id = l.org_id and r.gen = $1 and r.lesson_id = l.id
      cross join lateral (${SEATS}) as t
      where l.org_id = d.org_id and l.gen = $1 and l.clazz_id = d.clazz_id and l.starts_at = d.at
        and l.teacher_id = d.teacher_id and l.status <> 'deleted'
      offset 0
    ) as x on true
    group by ${key('d')}
  ), compared as (
    select s.*, s.scheduled > 0 or s.hours_consumed <> 0 as is_something, f.place,
      ${list(NAMES, (name) => `s.${name} - coalesce(f.${name}, 0) as more_${name}`)}
    from fresh as s
    left join lateral (
      select ctid as place, ${list(NAMES)} from clazz_figure
      where gen = $1 and ${KEY.map((name) => `${name} = s.${name}`).join(' and ')} offset 0
    ) as f on true
  ), over as (
    delete from clazz_figure where ctid = any (array(select place from compared where not is_something))
  ), stored as (
    insert into clazz_figure (gen, ${list(KEY)}, ${list(NAMES)})
    select $1, ${list([...KEY, ...NAMES])} from compared where is_something
    on conflict (${list(CLAZZ_FIGURE.keys)}) do update set ${list(NAMES, (name) => `${name} = excluded.${name}`)}
  )
  insert into org_figure (gen, org_id, at, ${list(NAMES)})
  select $1, org_id, ${quarterOf('at')}, ${list(NAMES, (name) => `sum(more_${name})`)}
  from compared where is_something or place is not null group by 2, 3
  on conflict (org_id, gen, at) do update set ${list(NAMES, (name) => `${name} = org_figure.${name} + excluded.${name}`)}`);

export const refreshClazzFigures = (tx: WorkerTransaction, gen: number, dirty: DirtyClazzes): void => {
  const { moments, lessons, enrolments } = dirty;
  if (moments.length + lessons.length + enrolments.length === 0) return;
  tx.run(REFRESH, gen, JSON.stringify(moments, KEY), JSON.stringify(lessons), JSON.stringify(enrolments));
};
