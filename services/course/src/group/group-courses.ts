import { GroupCourse } from '@teaching/contracts';
import { always, names, p, type Session, statement } from '@teaching/kit';
import { COURSE } from '../course/course.table.ts';
import { seesDrafts } from './group.rules.ts';

const PAIRS = [
  ...Object.keys(COURSE.wire(GroupCourse).shape).map((name) => `'${name}', c.${name}`),
  "'teacher_name', (select display_name from member where org_id = c.org_id and user_id = c.teacher_id)",
];

/** The courses of the group `g` as JSON, in order. */
const coursesOf = (condition: string) => `(
  select coalesce(json_agg(json_build_object(${PAIRS.join(', ')}) order by gc.position), '[]'::json)
  from course_group_course gc join course c on c.org_id = gc.org_id and c.id = gc.course_id
  where gc.org_id = g.org_id and gc.group_id = g.id and ${condition}) as courses`;

/** For staff all courses of a group, for students the active ones. */
export const GROUP_COURSES = { staff: coursesOf('true'), student: coursesOf("c.status = 'active'") };
export const COURSES = { courses: always(p.json<GroupCourse[]>().columnType('json')) };

const owner = names('g', 'owner_id');
const read = (courses: string) =>
  statement(`select ${courses}, ${owner.columns} from course_group g where g.org_id = $1 and g.id = $2`, {
    ...COURSES,
    ...owner.shape,
  });
const READ = { staff: read(GROUP_COURSES.staff), student: read(GROUP_COURSES.student) };

/** What is shown with a group: its courses, and what its owner is called. */
export const readCourses = async (session: Session, group_id: string) => {
  const what = seesDrafts(session.caller) ? READ.staff : READ.student;
  return (await session.one(what, session.org_id, group_id)) ?? { courses: [], owner_name: null };
};
