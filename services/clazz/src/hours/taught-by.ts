import { always, type Condition, p, type Session, statement } from '@teaching/kit';

/**
 * In a statement: the students who are or were in a class of which a teacher is lead or assistant, or in which they gave a
 * lesson. The classes are found by the teacher, and the students by the classes.
 */
export const studentsOf = (org: string, teacher: string): string => `
  select n.student_id from enrolment n where n.org_id = ${org} and n.clazz_id = any(array(
    select s.clazz_id from staff_period s join clazz c on c.org_id = s.org_id and c.id = s.clazz_id
    where s.org_id = ${org} and s.teacher_id = ${teacher}
      and (c.lead_teacher_id = ${teacher} or ${teacher} = any(c.assistant_ids))
    union select l.clazz_id from lesson l where l.org_id = ${org} and l.teacher_id = ${teacher}))`;

/**
 * The same rule for one student `$2` and one teacher `$3`: the classes are found by the student, which costs less. The
 * matrix of the gateway compares both.
 */
export const TEACHES = statement(
  `select exists (
     select from enrolment e join clazz c on c.org_id = e.org_id and c.id = e.clazz_id
     where e.org_id = $1 and e.student_id = $2
       and (c.lead_teacher_id = $3 or $3 = any(c.assistant_ids)
         or exists (select from lesson l where l.org_id = $1 and l.clazz_id = c.id and l.teacher_id = $3))) as teaches`,
  { teaches: always(p.boolean()) },
);

/** In a list: that the student is one of a teacher's. */
export const taughtBy = (student: string): Condition => `${student} = any(array(${studentsOf('?', '?')}))`;

/** Its values for whoever does not see all students. */
export const ownStudents = ({ caller, org_id, reach }: Session): readonly string[] | undefined => {
  const { user_id } = caller;
  return reach.goesBy('teacher') ? [org_id, org_id, user_id, user_id, user_id, org_id, user_id] : undefined;
};
