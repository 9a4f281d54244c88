import { p } from '@mikro-orm/postgresql';
import type { Lesson } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';

const NAMES = statement('select user_id, display_name from member where org_id = $1 and user_id = any($2::text[])', {
  user_id: p.text(),
  display_name: p.text(),
});

/** Lessons with what the directory calls their teachers: by one statement of a session, or of a look before its transaction. */
export const withTeacherNames = async <L extends Pick<Lesson, 'org_id' | 'teacher_id'>>(
  reader: Pick<Session, 'query'>,
  org_id: string,
  lessons: readonly L[],
): Promise<(L & { teacher_name: string | null })[]> => {
  const ids = [...new Set(lessons.map((row) => row.teacher_id))];
  const rows = ids.length === 0 ? [] : await reader.query(NAMES, org_id, ids);
  const known = new Map(rows.map((row) => [row.user_id, row.display_name]));
  return lessons.map((row) => ({ ...row, teacher_name: known.get(row.teacher_id) ?? null }));
};
