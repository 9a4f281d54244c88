import { statement } from '@teaching/kit';
import type { Tx } from './tx.ts';
import type { EnrolmentChange } from './records/enrolment.ts';
import type { MarkedLesson } from './records/mark.ts';
import { quarterOf } from '../figures/sql.ts';

/** What is counted of a class at one instant; in SQL over one lesson `l`, its seats `t` and its roll call `r`. */
const COUNTED = "(l.status <> 'cancelled')::int";
const COUNTS = {
  scheduled: COUNTED,
  held: "(l.status = 'held')::int",
  hours_taught: "case when l.status = 'held' then l.hours else 0 end",
  roll_calls_in_time: "(l.status = 'held' and r.taken_at <= l.ends_at + interval '24 hours')::int",
  seats: `${COUNTED} * t.seats`,
  unmarked: `${COUNTED} * t.unmarked`,
  guests: `${COUNTED} * t.guests`,
  present: `${COUNTED} * t.present`,
  late: `${COUNTED} * t.late`,
  absent: `${COUNTED} * t.absent`,
  leave: `${COUNTED} * t.leave`,
  makeup: `${COUNTED} * t.makeup`,
  trial: `${COUNTED} * t.trial`,
  hours_consumed: 't.hours_consumed',
} as const;
const NAMES = Object.keys(COUNTS);
const KEY = ['org_id', 'clazz_id', 'at', 'teacher_id'];
const list = (names: readonly string[], make: (name: string) => string = (name) => name): string =>
  names.map(make).join(', ');

/** Seats of a lesson: who belongs to the class at its start, and who was marked there all the same. */
const SEATS = `
  select count(*) filter (where e.student_id is not null or m.mark is not null) as seats,
    count(*) filter (where e.student_id is not null and m.mark is null) as unmarked,
    count(*) filter (where e.student_id is null and m.mark is not null) as guests,
    ${list(['present', 'late', 'absent', 'leave', 'makeup', 'trial'], (mark) => `count(*) filter (where m.mark = '${mark}') as ${mark}`)},
    coalesce(sum(m.charged_hours), 0) as hours_consumed
  from (select student_id, mark, charged_hours from mark where org_id = l.org_id and gen = $1 and lesson_id = l.id) as m
  full join (
    select student_id from enrolment
    where org_id = l.org_id and gen = $1 and clazz_id = l.clazz_id and during @> l.starts_at
  ) as e on e.student_id = m.student_id`;

/**
 * Computes the figures of classes anew wherever something changed, from the records; nothing is added to
 * or taken from what stood there, so no error can stay. Only the org's sums move by the difference.
 * `offset 0` keeps the planner from turning a join around: from what changed to the rows beside it.
 */
const REFRESH = statement(`
  with dirty as (
    select * from unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[]) as k(${list(KEY)})
    union
    select l.org_id, l.clazz_id, l.starts_at, l.teacher_id
    from unnest($6::uuid[], $7::uuid[]) as k(org_id, lesson_id)
    cross join lateral (
      select * from lesson where org_id = k.org_id and gen = $1 and id = k.lesson_id offset 0
    ) as l
    union
    select l.org_id, l.clazz_id, l.starts_at, l.teacher_id
    from unnest($8::uuid[], $9::uuid[], $10::tstzmultirange[]) as k(org_id, clazz_id, changed)
    cross join lateral (
      select * from lesson
      where org_id = k.org_id and gen = $1 and clazz_id = k.clazz_id and k.changed @> starts_at and status <> 'deleted'
      offset 0
    ) as l
  ), fresh as (
    select ${list(KEY, (name) => `d.${name}`)}, ${list(NAMES, (name) => `coalesce(sum(x.${name}), 0) as ${name}`)}
    from dirty as d
    left join lateral (
      select ${list(NAMES, (name) => `${COUNTS[name as keyof typeof COUNTS]} as ${name}`)}
      from lesson as l
      left join roll_call as r on r.org_id = l.org_id and r.gen = $1 and r.lesson_id = l.id
      cross join lateral (${SEATS}) as t
      where l.org_id = d.org_id and l.gen = $1 and l.clazz_id = d.clazz_id and l.starts_at = d.at
        and l.teacher_id = d.teacher_id and l.status <> 'deleted'
      offset 0
    ) as x on true
    group by ${list(KEY, (name) => `d.${name}`)}
  ), merged as (
    merge into clazz_figure as f using fresh as s
    on ${KEY.map((name) => `f.${name} = s.${name}`).join(' and ')} and f.gen = $1
    when matched and s.scheduled = 0 and s.hours_consumed = 0 then delete
    when matched then update set ${list(NAMES, (name) => `${name} = s.${name}`)}
    when not matched and (s.scheduled > 0 or s.hours_consumed <> 0) then
      insert (gen, ${list(KEY)}, ${list(NAMES)}) values ($1, ${list([...KEY, ...NAMES], (name) => `s.${name}`)})
    returning coalesce(new.org_id, old.org_id) as org_id, coalesce(new.at, old.at) as at,
      ${list(NAMES, (name) => `coalesce(new.${name}, 0) - coalesce(old.${name}, 0) as ${name}`)}
  )
  insert into org_figure (gen, org_id, at, ${list(NAMES)})
  select $1, org_id, ${quarterOf('at')}, ${list(NAMES, (name) => `sum(${name})`)}
  from merged group by 2, 3
  on conflict (org_id, gen, at) do update set ${list(NAMES, (name) => `${name} = org_figure.${name} + excluded.${name}`)}`);

/** Where the figures of classes have to be computed anew. */
export interface DirtyClazzes {
  moments: { org_id: string; clazz_id: string; at: string; teacher_id: string }[];
  lessons: MarkedLesson[];
  enrolments: EnrolmentChange[];
}

export const refreshClazzFigures = (tx: Tx, gen: number, dirty: DirtyClazzes): void => {
  const { moments, lessons, enrolments } = dirty;
  if (moments.length + lessons.length + enrolments.length === 0) return;
  tx.run(
    REFRESH,
    gen,
    moments.map((row) => row.org_id),
    moments.map((row) => row.clazz_id),
    moments.map((row) => row.at),
    moments.map((row) => row.teacher_id),
    lessons.map((row) => row.org_id),
    lessons.map((row) => row.lesson_id),
    enrolments.map((row) => row.org_id),
    enrolments.map((row) => row.clazz_id),
    enrolments.map((row) => row.changed),
  );
};
