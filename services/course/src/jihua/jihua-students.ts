import { type Session, statement } from '@teaching/kit';
import { JIHUA_STUDENT } from './jihua-student.table.ts';

const DROP = statement(
  'delete from jihua_student where org_id = $1 and jihua_id = $2 and student_id <> all($3::text[])',
);
const ADD = statement(
  `insert into jihua_student (org_id, jihua_id, student_id)
   select $1, $2, s.id from unnest($3::text[]) as s(id) order by s.id on conflict do nothing`,
);
const READ = statement(
  'select student_id from jihua_student where org_id = $1 and jihua_id = $2 order by student_id',
  JIHUA_STUDENT.some('student_id').shape,
);

/** The students of a plan become exactly these. */
export const replaceStudents = (session: Session, jihua_id: string, student_ids: readonly string[]): void => {
  session.run(DROP, session.org_id, jihua_id, student_ids);
  session.run(ADD, session.org_id, jihua_id, student_ids);
};

export const readStudents = async (session: Session, jihua_id: string): Promise<string[]> =>
  (await session.query(READ, session.org_id, jihua_id)).map(({ student_id }) => student_id);
