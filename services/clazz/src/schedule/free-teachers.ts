import { notNull, p, type Session, statement } from '@teaching/kit';
import { LESSON, type LessonRow } from '../record/record.tables.ts';

/** SQL: the teachers of the org: the staff of classes and the teachers of the directory, without inactive members. */
const TEACHERS = `select teacher_id from (
    select teacher_id from staff_period where org_id = $1 and upper_inf(during)
    union
    select user_id from member where org_id = $1 and 'TEACHER' = any(roles)
  ) as t where not exists (
    select from member m where m.org_id = $1 and m.user_id = t.teacher_id and m.status = 'inactive')`;

const OPTION = {
  lesson_id: notNull(p.uuid()),
  teacher_id: notNull(p.text()),
  teacher_name: p.text().nullable(),
  same_course: notNull(p.boolean()),
};

/**
 * SQL: for each lesson `l` at most `$3` free teachers, best first, after the option `$4`, `$5`. Its own present time takes
 * no teacher.
 */
const free = (lessons: string, condition: string): string =>
  `with teachers as materialized (${TEACHERS})
   select l.id as lesson_id, o.teacher_id,
     (select display_name from member where org_id = $1 and user_id = o.teacher_id) as teacher_name, o.same_course
   from ${lessons} l join clazz c on c.org_id = l.org_id and c.id = l.clazz_id
   cross join lateral (
     select t.teacher_id, t.same_course from (
       select teachers.teacher_id, exists (
         select from staff_period s join clazz k on k.org_id = s.org_id and k.id = s.clazz_id
         where s.org_id = $1 and s.teacher_id = teachers.teacher_id and upper_inf(s.during)
           and (k.id = c.id or k.course_id = c.course_id)) as same_course
       from teachers
     ) as t
     where t.teacher_id <> l.teacher_id and ($4::boolean is null or (not t.same_course, t.teacher_id) > (not $4, $5::text))
       and not exists (
         select from lesson b
         where b.org_id = $1 and b.teacher_id = t.teacher_id and b.id <> l.id and b.status <> 'cancelled'
           and b.starts_at < l.ends_at and b.ends_at > l.starts_at and b.starts_at > l.starts_at - interval '24 hours')
     order by not t.same_course, t.teacher_id limit $3
   ) as o
   where l.org_id = $1 and ${condition}
   order by l.starts_at, l.id, not o.same_course, o.teacher_id`;
const FREE = statement(free('lesson', 'l.id = any($2::uuid[])'), OPTION);
const FREE_AT = statement(free(LESSON.rowsFrom('$2'), 'true'), OPTION);

/** The last option of a page. */
type Last = readonly [same_course: boolean | null, teacher_id: string | null];

/**
 * The free teachers for these lessons: at most `limit` for each, best first. Teachers of the class or its course come
 * first.
 */
export const findFreeTeachers = (
  session: Session,
  lesson_ids: readonly string[],
  limit: number,
  [same_course, teacher_id]: Last = [null, null],
) => session.query(FREE, session.org_id, lesson_ids, limit, same_course, teacher_id);

/** The free teachers for a lesson that is not stored in this form yet: at most `limit`, best first. */
export const findFreeTeachersFor = async (session: Session, lesson: LessonRow, limit: number) => {
  const rows = await session.query(FREE_AT, session.org_id, LESSON.toJson([lesson]), limit, null, null);
  return rows.map(({ lesson_id: _same, ...option }) => option);
};
