import { notFound } from '@teaching/contracts';
import { always, names, p, type Session, statement } from '@teaching/kit';
import { LIANXI_STUDENT } from './lianxi-student.table.ts';

const named = names('l', 'teacher_id');

/** What the ids of a practice `l` stand for, where it is read. */
export const NAMES = {
  columns: `${named.columns},
    (select title from course where org_id = l.org_id and id = l.course_id) as course_title,
    (select title from course_section where org_id = l.org_id and id = l.course_section_id) as course_section_title`,
  shape: { ...named.shape, course_title: always(p.text()), course_section_title: always(p.text()) },
};

const READ = statement(`select ${NAMES.columns} from lianxi l where l.org_id = $1 and l.id = $2`, NAMES.shape);
const student = names('s', 'student_id');
const STUDENTS = statement(
  `select s.student_id, ${student.columns} from lianxi_student s where s.org_id = $1 and s.lianxi_id = $2
   order by s.student_id`,
  { ...LIANXI_STUDENT.some('student_id').shape, ...student.shape },
);

/** What staff see of a practice beside its row: its students, and what all of its ids stand for. */
export const readNames = async (session: Session, id: string) => {
  const [named, students] = await Promise.all([
    session.one(READ, session.org_id, id),
    session.query(STUDENTS, session.org_id, id),
  ]);
  if (named === undefined) throw notFound('Lianxi');
  return {
    ...named,
    student_ids: students.map(({ student_id }) => student_id),
    student_names: students.map(({ student_name }) => student_name),
  };
};
