/** Which lessons `l` students attend: of a class they belong to at its start, or made up in. */
export const ATTENDED = `l.id = any (array(
  select b.id from unnest(?::text[]) as w (student_id)
  cross join lateral (
    select * from enrolment_period where org_id = ? and student_id = w.student_id offset 0) p
  cross join lateral (
    select id from lesson where org_id = p.org_id and clazz_id = p.clazz_id and p.during @> starts_at offset 0) b
  union all
  select c.lesson_id from make_up_credit c
  where c.org_id = ? and c.student_id = any(?) and c.lesson_id is not null))`;
/** What `ATTENDED` is given. */
export const attendedBy = (org_id: string, students: readonly string[]) => [students, org_id, org_id, students];

/**
 * Which lessons are somebody's own: taught by them, of a class they assist, of a class they belong to at its start,
 * or made up in. They are found by the person, so that no other lesson is looked at.
 */
export const OWN_LESSONS = (org: string, user: string): string => `lesson.id = any (array(
  select t.id from lesson t where t.org_id = ${org} and t.teacher_id = ${user}
  union all
  select a.id from staff_period s
  cross join lateral (
    select id from lesson where org_id = s.org_id and clazz_id = s.clazz_id and s.during @> starts_at offset 0) a
  where s.org_id = ${org} and s.teacher_id = ${user} and s.role = 'assistant'
  union all
  select b.id from enrolment_period p
  cross join lateral (
    select id from lesson where org_id = p.org_id and clazz_id = p.clazz_id and p.during @> starts_at offset 0) b
  where p.org_id = ${org} and p.student_id = ${user}
  union all
  select c.lesson_id from make_up_credit c
  where c.org_id = ${org} and c.student_id = ${user} and c.lesson_id is not null))`;
