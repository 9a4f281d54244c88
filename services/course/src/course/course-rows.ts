import { Course, COURSE_STATUSES, type CourseStatus, notFound, unknownIds } from '@teaching/contracts';
import {
  requireVersion,
  instant,
  nameColumns,
  p,
  withConstraintProblems,
  type Session,
  statement,
  table,
} from '@teaching/kit';

export const COURSE = table('course', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  title: p.text(),
  description: p.text(),
  category_id: p.uuid().nullable(),
  teacher_id: p.text(),
  status: p.enum(COURSE_STATUSES),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
  search: p.text().hidden().persist(false),
});

/** Whether students can see a course. Staff can see every course of the org. */
export const isOffered = (it: { status: CourseStatus }): boolean => it.status === 'active';

const FIELDS = COURSE.contractColumns(Course);
const teacher = nameColumns('c', 'teacher_id');
const NAMES = {
  columns: `${teacher.columns},
    (select name from course_category where org_id = c.org_id and id = c.category_id) as category_name`,
  shape: { ...teacher.shape, category_name: p.text().nullable() },
};

/** Columns of a course `c` in an answer: its fields, the name of its teacher and the name of its category. */
export const NAMED_COURSE = {
  columns: `${FIELDS.withAlias('c')}, ${NAMES.columns}`,
  shape: { ...FIELDS.shape, ...NAMES.shape },
};

const READ_NAMES = statement(`select ${NAMES.columns} from course c where c.org_id = $1 and c.id = $2`, NAMES.shape);

/** Adds the names of teacher and category to a course that was just stored. */
export const withNames = async (session: Session, it: Course) => {
  const names = await session.queryOne(READ_NAMES, session.org_id, it.id);
  if (names === undefined) throw notFound('Course');
  return { ...it, ...names };
};

/** Loads and locks a course of the caller's org. Honours `If-Match`. Throws 404 if it does not exist. */
export const lockCourse = async (session: Session, id: string): Promise<Course> =>
  requireVersion(session, await session.lock(COURSE, id), 'Course');

const STATUS = COURSE.pick('status');
const READ_STATUS = statement(`select ${STATUS.columns} from course where org_id = $1 and id = $2`, STATUS.shape);

/** Throws 404 if the course does not exist or the caller cannot see it. */
export const requireVisibleCourse = async (session: Session, id: string): Promise<void> => {
  const found = await session.queryOne(READ_STATUS, session.org_id, id);
  if (found === undefined || !session.access.allows({ offered: isOffered(found) })) throw notFound('Course');
};

/** Inserts or updates a course with the given statement of the table. Throws 404 if its category does not exist. */
export const saveCourse = (session: Session, write: typeof COURSE.insert, it: Course): Promise<unknown> =>
  withConstraintProblems(session.query(write, COURSE.toJson([it])), {
    course_category_id: () => unknownIds([{ path: '/body/category_id', message: 'does not exist' }]),
  });
