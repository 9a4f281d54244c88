import { type Session, statement } from '@teaching/kit';

/*
 * Keeps `lesson_student` in step: one row for each student whose period contains the start of a lesson
 * that is not cancelled. Its exclusion constraint is what makes clashes of students impossible.
 */
const EXPECTED = `
  insert into lesson_student (org_id, lesson_id, clazz_id, student_id, starts_at, ends_at, override)
  select l.org_id, l.id, l.clazz_id, p.student_id, l.starts_at, l.ends_at, l.override
  from lesson l
  join enrolment_period p on p.org_id = l.org_id and p.clazz_id = l.clazz_id and p.during @> l.starts_at
  where l.org_id = $1 and l.clazz_id = $2 and l.status <> 'cancelled'`;

const DROP_STUDENTS = statement(
  `delete from lesson_student s where s.org_id = $1 and s.clazz_id = $2 and s.student_id = any($3::text[])
     and not exists (select from enrolment_period p where p.org_id = $1 and p.clazz_id = $2
       and p.student_id = s.student_id and p.during @> s.starts_at)`,
);
const ADD_STUDENTS = statement(
  `${EXPECTED} and p.student_id = any($3::text[]) on conflict (org_id, lesson_id, student_id) do nothing`,
);
const DROP_LESSONS = statement('delete from lesson_student where org_id = $1 and lesson_id = any($2::uuid[])');
const ADD_LESSONS = statement(`${EXPECTED} and l.id = any($3::uuid[])`);

/** After periods of these students changed. */
export const expectStudents = (session: Session, clazz_id: string, students: readonly string[]): void => {
  session.run(DROP_STUDENTS, session.org_id, clazz_id, students);
  session.run(ADD_STUDENTS, session.org_id, clazz_id, students);
};

/** After new lessons were stored. */
export const expectAtNew = (session: Session, clazz_id: string, lesson_ids: readonly string[]): void =>
  session.run(ADD_LESSONS, session.org_id, clazz_id, lesson_ids);

/** After these lessons were moved, cancelled or restored. */
export const expectAtChanged = (session: Session, clazz_id: string, lesson_ids: readonly string[]): void => {
  session.run(DROP_LESSONS, session.org_id, lesson_ids);
  session.run(ADD_LESSONS, session.org_id, clazz_id, lesson_ids);
};
