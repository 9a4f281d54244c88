import { type RowOf, type Session, statement } from '@teaching/kit';
import { JIHUA_STUDENT } from './jihua-student.table.ts';

const MEMBER = JIHUA_STUDENT.some('student_id', 'since');
const DROP = statement(
  'delete from jihua_student where org_id = $1 and jihua_id = $2 and student_id <> all($3::text[])',
);
const ADD = statement(
  `insert into jihua_student (org_id, jihua_id, student_id, since)
   select $1, $2, s.id, $4::date from unnest($3::text[]) as s(id) order by s.id on conflict do nothing`,
);
const READ = statement(
  `select ${MEMBER.columns} from jihua_student where org_id = $1 and jihua_id = $2 order by student_id`,
  MEMBER.shape,
);

type Member = RowOf<typeof MEMBER.shape>;

/** The students of a plan become exactly these; who is there already keeps their day. */
export const replaceStudents = (
  session: Session,
  jihua_id: string,
  student_ids: readonly string[],
  since: string | null,
): void => {
  session.run(DROP, session.org_id, jihua_id, student_ids);
  session.run(ADD, session.org_id, jihua_id, student_ids, since);
};

export const readMembers = (session: Session, jihua_id: string): Promise<Member[]> =>
  session.query(READ, session.org_id, jihua_id);

/** The day from which a student belongs to a plan. */
export const firstDay = (since: string | null, starts_on: string): string =>
  since === null || since < starts_on ? starts_on : since;

/** The students of a plan as staff see them. */
export const shownMembers = (members: readonly Member[], starts_on: string) => ({
  student_ids: members.map(({ student_id }) => student_id),
  students: members.map(({ student_id, since }) => ({ student_id, since: firstDay(since, starts_on) })),
});
