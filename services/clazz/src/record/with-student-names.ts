import type { Session } from '@teaching/kit';
import { namesOf } from './names-of.ts';

/** Rows about students with what the directory calls them, by one statement. */
export const withStudentNames = async <R extends { student_id: string }>(
  session: Session,
  rows: readonly R[],
): Promise<(R & { student_name: string | null })[]> => {
  const nameOf = await namesOf(
    session,
    session.org_id,
    rows.map((row) => row.student_id),
  );
  return rows.map((row) => ({ ...row, student_name: nameOf(row.student_id) }));
};
