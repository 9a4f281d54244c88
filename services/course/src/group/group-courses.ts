import type { GroupCourse } from '@teaching/contracts';
import { isStaff, type Session, statement } from '@teaching/kit';
import type { z } from 'zod';

/** The courses of the group `g` as JSON, in order. */
const coursesOf = (condition: string): string => `(
  select coalesce(json_agg(json_build_object('id', c.id, 'title', c.title, 'category_id', c.category_id,
    'teacher_id', c.teacher_id, 'status', c.status) order by gc.position), '[]'::json)
  from course_group_course gc join course c on c.org_id = gc.org_id and c.id = gc.course_id
  where gc.org_id = g.org_id and gc.group_id = g.id and ${condition})`;

/** For staff all courses of a group, for students the active ones. */
export const GROUP_COURSES = { staff: coursesOf('true'), student: coursesOf("c.status = 'active'") };

const READ = {
  staff: statement<{ courses: z.infer<typeof GroupCourse>[] }>(
    `select ${GROUP_COURSES.staff} as courses from course_group g where g.org_id = $1 and g.id = $2`,
  ),
  student: statement<{ courses: z.infer<typeof GroupCourse>[] }>(
    `select ${GROUP_COURSES.student} as courses from course_group g where g.org_id = $1 and g.id = $2`,
  ),
};

export const readCourses = async (session: Session, group_id: string): Promise<z.infer<typeof GroupCourse>[]> => {
  const what = isStaff(session.caller) ? READ.staff : READ.student;
  return (await session.one(what, session.org_id, group_id))?.courses ?? [];
};
