import { type Condition, type Session } from '@teaching/kit';

/**
 * In a list: that a student is or was in a class of which a teacher is lead or assistant, or in which they gave a lesson.
 * The classes are found by the teacher, and the students by the classes.
 */
export const taughtBy = (student: string): Condition =>
  `${student} = any(array(
     select n.student_id from enrolment n where n.org_id = ? and n.clazz_id = any(array(
       select s.clazz_id from staff_period s join clazz c on c.org_id = s.org_id and c.id = s.clazz_id
       where s.org_id = ? and s.teacher_id = ? and (c.lead_teacher_id = ? or ? = any(c.assistant_ids))
       union select l.clazz_id from lesson l where l.org_id = ? and l.teacher_id = ?))))`;

/** Its values for whoever does not see all students. */
export const ownStudents = ({ caller, org_id, reach }: Session): readonly string[] | undefined => {
  const { user_id } = caller;
  return reach.goesBy('teacher') ? [org_id, org_id, user_id, user_id, user_id, org_id, user_id] : undefined;
};
