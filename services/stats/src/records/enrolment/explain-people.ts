import { always, instant, p, statement } from '@teaching/kit';
import { nameOfPerson } from '../../figures/names.ts';
import { PEOPLE_TAUGHT } from '../../figures/people-taught.ts';
import type { Explained } from '../explained.ts';

const PEOPLE = statement(
  `${PEOPLE_TAUGHT}
  select 'student' as source, student_id as id, 1 as counts, min(at) as at, null as clazz_id, null as clazz_name, null as lesson_id,
    null::timestamptz as lesson_starts_at, null::timestamptz as lesson_ends_at,
    student_id, ${nameOfPerson('student_id')} as student_name, $2::text as teacher_id, ${nameOfPerson('$2')} as teacher_name, null as state, null as by, null as by_name, null::timestamptz as done_at, null::int as revision
  from belonged cross join lateral unnest(student_ids) as student_id where ($6::text is null or student_id > $6) and ($7::uuid is null or clazz_id = $7)
  group by student_id order by student_id limit $8`,
  {
    source: always(p.text().$type<'student'>()),
    id: always(p.text()),
    counts: always(p.integer()),
    at: always(instant()),
    clazz_id: p.text().nullable(),
    clazz_name: p.text().nullable(),
    lesson_id: p.text().nullable(),
    lesson_starts_at: instant().nullable(),
    lesson_ends_at: instant().nullable(),
    student_id: always(p.text()),
    student_name: p.text().nullable(),
    teacher_id: always(p.text()),
    teacher_name: p.text().nullable(),
    state: p.text().nullable(),
    by: p.text().nullable(),
    by_name: p.text().nullable(),
    done_at: instant().nullable(),
    revision: p.integer().nullable(),
  },
);

/** Each person a teacher taught once, by the first of the lessons: the figure counts people, not seats. */
export const explainedByPeople: Explained = {
  figure: 'students',
  subject: 'teacher',
  page: async (session, { limit, cursor }, { id, clazz_id = null, range: { starts_at, ends_at, asked } }) => {
    const list = JSON.stringify(['students', id, clazz_id, asked]);
    const after = session.openCursor(cursor, list)?.[0] ?? null;
    const range = [starts_at, ends_at, [starts_at]] as const;
    const rows = await session.query(PEOPLE, session.org_id, id, ...range, after, clazz_id, limit + 1);
    const items = rows.slice(0, limit);
    const last = rows.length > limit ? items.at(-1) : undefined;
    return { items, next_cursor: last === undefined ? null : session.sealCursor([last.id], list) };
  },
};
