import type { Clazz, ShownClazz } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { MEMBER } from './record.tables.ts';

const NAME = MEMBER.pick('user_id', 'display_name');
const NAMES = statement(
  `select ${NAME.columns} from member where org_id = $1 and user_id = any($2::text[])`,
  NAME.shape,
);

/**
 * Reads the names of people from the directory by one statement. `reader` is a session, or reads before its
 * transaction.
 * The returned function gives the name of an id, and null for an unknown id or for null.
 */
export const namesOf = async (
  reader: Pick<Session, 'query'>,
  org_id: string,
  people: Iterable<string | null>,
): Promise<(id: string | null) => string | null> => {
  const ids = [...new Set(people)].filter((id) => id !== null);
  const rows = ids.length === 0 ? [] : await reader.query(NAMES, org_id, ids);
  const known = new Map<string | null, string>(rows.map((row) => [row.user_id, row.display_name]));
  return (id) => known.get(id) ?? null;
};

/** Adds the names of the students, by one statement. */
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

/** A class as answers contain it, with the names of its teachers. Events contain ids only. */
export const shownClazz = async <C extends Clazz>(session: Session, it: C): Promise<C & ShownClazz> => {
  const nameOf = await namesOf(session, session.org_id, [it.lead_teacher_id, ...it.assistant_ids]);
  return { ...it, lead_teacher_name: nameOf(it.lead_teacher_id), assistant_names: it.assistant_ids.map(nameOf) };
};
