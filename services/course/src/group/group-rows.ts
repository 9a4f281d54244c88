import { GroupCourse, notFound } from '@teaching/contracts';
import { notNull, instant, nameColumns, p, type Row, type Session, statement, table } from '@teaching/kit';
import { COURSE } from '../course/course-rows.ts';
import { canSeeDrafts } from './group.rules.ts';

export const GROUP = table('course_group', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  name: p.text(),
  description: p.text(),
  owner_id: p.text(),
  org_visible: p.boolean(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
  search: p.text().hidden().persist(false),
});

/** The courses of groups, with their position in the group. */
export const GROUP_COURSE = table('course_group_course', {
  org_id: p.uuid().primary(),
  group_id: p.uuid().primary(),
  course_id: p.uuid().primary(),
  position: p.integer(),
});

const PAIRS = [
  ...Object.keys(COURSE.contractColumns(GroupCourse).shape).map((name) => `'${name}', c.${name}`),
  "'teacher_name', (select display_name from member where org_id = c.org_id and user_id = c.teacher_id)",
];

/** SQL of the courses of the group `g` as a JSON array, in order. `condition` filters the courses `c`. */
const coursesOf = (condition: string) => `(
  select coalesce(json_agg(json_build_object(${PAIRS.join(', ')}) order by gc.position), '[]'::json)
  from course_group_course gc join course c on c.org_id = gc.org_id and c.id = gc.course_id
  where gc.org_id = g.org_id and gc.group_id = g.id and ${condition}) as courses`;

/** The column `courses`: staff see all courses of a group, students the active ones. */
export const COURSES_COLUMN = { staff: coursesOf('true'), student: coursesOf("c.status = 'active'") };
export const COURSES_SHAPE = { courses: notNull(p.json<GroupCourse[]>().columnType('json')) };

const ownerName = nameColumns('g', 'owner_id');
const readStatement = (courses: string) =>
  statement(`select ${courses}, ${ownerName.columns} from course_group g where g.org_id = $1 and g.id = $2`, {
    ...COURSES_SHAPE,
    ...ownerName.shape,
  });
const READ_COURSES = { staff: readStatement(COURSES_COLUMN.staff), student: readStatement(COURSES_COLUMN.student) };

/** Reads the fields of an answer that are not in the group's row: its courses and the name of its owner. */
export const readCourses = async (session: Session, group_id: string) => {
  const read = canSeeDrafts(session.caller) ? READ_COURSES.staff : READ_COURSES.student;
  return (await session.queryOne(read, session.org_id, group_id)) ?? { courses: [], owner_name: null };
};

/**
 * Loads and locks a group, without its courses. Only its owner and supervisors may change it: the answer to other
 * callers is 403, or 404 if they cannot see the group. Honours `If-Match`.
 */
export const lockGroup = async (session: Session, id: string): Promise<Row<typeof GROUP>> => {
  const found = await session.lock(GROUP, id);
  if (found === undefined) throw notFound('Group');
  if (!found.org_visible) session.access.requireAccess({ owner: found.owner_id }, notFound('Group'));
  session.access.requireOwner(found.owner_id);
  session.checkVersion(found.version);
  return found;
};
