import type { Lesson } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { namesOf } from './names-of.ts';

/** Lessons with what the directory calls their teachers: by one statement of a session, or of a look before its transaction. */
export const withTeacherNames = async <L extends Pick<Lesson, 'org_id' | 'teacher_id'>>(
  reader: Pick<Session, 'query'>,
  org_id: string,
  lessons: readonly L[],
): Promise<(L & { teacher_name: string | null })[]> => {
  const nameOf = await namesOf(
    reader,
    org_id,
    lessons.map((row) => row.teacher_id),
  );
  return lessons.map((row) => ({ ...row, teacher_name: nameOf(row.teacher_id) }));
};
