/**
 * Which lessons are somebody's own: taught by them, of a class they assist, of a class they belong to at its start,
 * or made up in. The classes come first, so that only their lessons are looked at.
 */
export const OWN_LESSONS = (org: string, user: string): string => `(teacher_id = ${user}
  or (clazz_id = any (array(select clazz_id from staff_period
        where org_id = ${org} and teacher_id = ${user} and role = 'assistant'))
    and exists (select from staff_period s where s.org_id = ${org} and s.clazz_id = lesson.clazz_id
      and s.teacher_id = ${user} and s.role = 'assistant' and s.during @> lesson.starts_at))
  or (clazz_id = any (array(select clazz_id from enrolment_period where org_id = ${org} and student_id = ${user}))
    and exists (select from enrolment_period p where p.org_id = ${org} and p.clazz_id = lesson.clazz_id
      and p.student_id = ${user} and p.during @> lesson.starts_at))
  or lesson.id = any (array(select lesson_id from make_up_credit
        where org_id = ${org} and student_id = ${user} and lesson_id is not null)))`;
