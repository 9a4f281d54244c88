import type { SourceRow } from '@teaching/contracts';
import { type Page, type Session, statement } from '@teaching/kit';
import type { StatsRange } from '../range/range.rules.ts';
import { PEOPLE_TAUGHT } from '../teacher-detail/teacher-sums.ts';

/** Each person once, by the first of the lessons; `students` counts people, not seats. */
const PEOPLE = statement<Omit<SourceRow, 'clazz_name' | 'student_name'>>(`${PEOPLE_TAUGHT}
  select 'student' as source, student_id as id, 1 as counts, min(at) as at, null as clazz_id, null as lesson_id,
    student_id, $2::text as teacher_id, null as state, null as by, null::timestamptz as done_at, null::int as revision
  from person where ($6::text is null or student_id > $6) and ($7::uuid is null or clazz_id = $7)
  group by student_id order by student_id limit $8`);

interface Asked {
  teacher_id: string;
  clazz_id: string | undefined;
  limit: number;
  cursor: string | undefined;
}

export const peopleTaught = async (
  session: Session,
  range: StatsRange,
  { teacher_id, clazz_id, limit, cursor }: Asked,
): Promise<Page<Omit<SourceRow, 'clazz_name' | 'student_name'>>> => {
  const list = JSON.stringify(['students', teacher_id, clazz_id, range.asked]);
  const after = session.openCursor(cursor, list);
  const { starts_at, ends_at } = range;
  const rows = await session.query(
    PEOPLE,
    session.org_id,
    teacher_id,
    starts_at,
    ends_at,
    [starts_at],
    after?.[0] ?? null,
    clazz_id ?? null,
    limit + 1,
  );
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next_cursor: last === undefined ? null : session.sealCursor([last.id], list) };
};
