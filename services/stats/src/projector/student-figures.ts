import { MARKS } from '@teaching/contracts';
import { statement } from '@teaching/kit';
import type { Tx } from './tx.ts';
import type { MarkChange } from './store-records.ts';

const KEY = ['org_id', 'student_id', 'at', 'clazz_id'];
const NAMES = [...MARKS, 'hours_consumed'];
const list = (names: readonly string[], make: (name: string) => string = (name) => name): string =>
  names.map(make).join(', ');

/** Computes a student's marks at one instant in one class anew wherever something changed. */
const REFRESH = statement(`
  with dirty as (
    select l.org_id, k.student_id, l.starts_at as at, l.clazz_id
    from unnest($2::uuid[], $3::uuid[], $4::text[]) as k(org_id, lesson_id, student_id)
    cross join lateral (
      select * from lesson where org_id = k.org_id and gen = $1 and id = k.lesson_id offset 0
    ) as l
    union
    select k.org_id, m.student_id, k.at, k.clazz_id
    from unnest($5::uuid[], $6::uuid[], $7::timestamptz[], $8::uuid[]) as k(org_id, lesson_id, at, clazz_id)
    cross join lateral (
      select * from mark where org_id = k.org_id and gen = $1 and lesson_id = k.lesson_id offset 0
    ) as m
  ), fresh as (
    select ${list(KEY, (name) => `d.${name}`)},
      ${list(MARKS, (mark) => `count(*) filter (where x.mark = '${mark}') as ${mark}`)},
      coalesce(sum(x.charged_hours), 0) as hours_consumed
    from dirty as d
    left join lateral (
      select case when l.status = 'cancelled' then null else m.mark end as mark, m.charged_hours
      from lesson as l
      join mark as m on m.org_id = l.org_id and m.gen = $1 and m.lesson_id = l.id and m.student_id = d.student_id
      where l.org_id = d.org_id and l.gen = $1 and l.clazz_id = d.clazz_id and l.starts_at = d.at
        and l.status <> 'deleted'
      offset 0
    ) as x on true
    group by ${list(KEY, (name) => `d.${name}`)}
  ), sized as (
    select *, ${MARKS.join(' + ')} = 0 and hours_consumed = 0 as nothing from fresh
  )
  merge into student_figure as f using sized as s
  on ${KEY.map((name) => `f.${name} = s.${name}`).join(' and ')} and f.gen = $1
  when matched and s.nothing then delete
  when matched then update set ${list(NAMES, (name) => `${name} = s.${name}`)}
  when not matched and not s.nothing then
    insert (gen, ${list(KEY)}, ${list(NAMES)}) values ($1, ${list([...KEY, ...NAMES], (name) => `s.${name}`)})`);

/** Where the figures of students have to be computed anew. */
export interface DirtyStudents {
  marks: MarkChange[];
  /** Lessons that count elsewhere, or differently, than before: everybody marked there is touched. */
  moved: { org_id: string; lesson_id: string; at: string; clazz_id: string }[];
}

export const refreshStudentFigures = (tx: Tx, gen: number, { marks, moved }: DirtyStudents): void => {
  if (marks.length + moved.length === 0) return;
  tx.run(
    REFRESH,
    gen,
    marks.map((row) => row.org_id),
    marks.map((row) => row.lesson_id),
    marks.map((row) => row.student_id),
    moved.map((row) => row.org_id),
    moved.map((row) => row.lesson_id),
    moved.map((row) => row.at),
    moved.map((row) => row.clazz_id),
  );
};
