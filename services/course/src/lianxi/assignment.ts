import { courseEvents } from '@teaching/contracts';
import { notNull, p, type Session, statement } from '@teaching/kit';
import { LIANXI, LIANXI_STUDENT } from './lianxi-rows.ts';

const DROP = statement(
  'delete from lianxi_student where org_id = $1 and lianxi_id = $2 and student_id <> all($3::text[])',
);
const ADD = statement(
  `insert into lianxi_student (org_id, lianxi_id, student_id)
   select $1, $2, s.id from unnest($3::text[]) as s(id) order by s.id on conflict do nothing`,
);
const READ_ASSIGNED = statement(
  'select student_id from lianxi_student where org_id = $1 and lianxi_id = $2 order by student_id',
  LIANXI_STUDENT.pick('student_id').shape,
);
const READ_ACCESS = statement(
  `select l.clazz_id,
     exists (select from lianxi_student s
             where s.org_id = l.org_id and s.lianxi_id = l.id and s.student_id = $3) as is_named,
     exists (select from submission s
             where s.org_id = l.org_id and s.lianxi_id = l.id and s.student_id = $3) as handed_in
   from lianxi l where l.org_id = $1 and l.id = $2`,
  { ...LIANXI.pick('clazz_id').shape, is_named: notNull(p.boolean()), handed_in: notNull(p.boolean()) },
);

/** Replaces the students that an exercise is directly assigned to. */
export const assignStudents = (session: Session, lianxi_id: string, student_ids: readonly string[]): void => {
  session.run(DROP, session.org_id, lianxi_id, student_ids);
  session.run(ADD, session.org_id, lianxi_id, student_ids);
};

/** Publishes the class and the students that an exercise is assigned to. */
export const publishAssignment = (
  session: Session,
  { id, clazz_id }: { id: string; clazz_id: string | null },
  student_ids: string[],
): void => session.emit(courseEvents.lianxiAssigned, id, { id, clazz_id, student_ids });

export const readAssignedStudents = async (session: Session, lianxi_id: string): Promise<string[]> =>
  (await session.query(READ_ASSIGNED, session.org_id, lianxi_id)).map(({ student_id }) => student_id);

/**
 * The access of a student to an exercise. The student can submit while it is assigned to the student or to one of the
 * classes `clazz_ids`. The student can read it then, and also after an earlier attempt.
 */
export const lianxiAccess = async (
  session: Session,
  lianxi_id: string,
  student_id: string,
  clazz_ids: readonly string[],
): Promise<{ canSubmit: boolean; canRead: boolean }> => {
  const found = await session.queryOne(READ_ACCESS, session.org_id, lianxi_id, student_id);
  if (found === undefined) return { canSubmit: false, canRead: false };
  const canSubmit = found.is_named || (found.clazz_id !== null && clazz_ids.includes(found.clazz_id));
  return { canSubmit, canRead: canSubmit || found.handed_in };
};
