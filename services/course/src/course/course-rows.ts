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

/** Whether students may see a course; staff see every course of the org. */
export const isOffered = (it: { status: CourseStatus }): boolean => it.status === 'active';

const FIELDS = COURSE.contractColumns(Course);
const teacher = nameColumns('c', 'teacher_id');
const NAMES = {
  columns: `${teacher.columns},
    (select name from course_category where org_id = c.org_id and id = c.category_id) as category_name`,
  shape: { ...teacher.shape, category_name: p.text().nullable() },
};

/** A course `c` as it is read. */
export const NAMED_COURSE = {
  columns: `${FIELDS.withAlias('c')}, ${NAMES.columns}`,
  shape: { ...FIELDS.shape, ...NAMES.shape },
};

const READ_NAMES = statement(`select ${NAMES.columns} from course c where c.org_id = $1 and c.id = $2`, NAMES.shape);

/** A course that was just stored, as it is read. */
export const withNames = async (session: Session, it: Course) => {
  const named = await session.queryOne(READ_NAMES, session.org_id, it.id);
  if (named === undefined) throw notFound('Course');
  return { ...it, ...named };
};

/** Loads and locks one course of the caller's org, and honours `If-Match`. */
export const lockCourse = async (session: Session, id: string): Promise<Course> =>
  requireVersion(session, await session.lock(COURSE, id), 'Course');

const SEEN = COURSE.pick('status');
const READ_SEEN = statement(`select ${SEEN.columns} from course where org_id = $1 and id = $2`, SEEN.shape);

/** Refuses with 404 when the course is not there for the caller. */
export const requireVisible = async (session: Session, id: string): Promise<void> => {
  const found = await session.queryOne(READ_SEEN, session.org_id, id);
  if (found === undefined || !session.access.allows({ offered: isOffered(found) })) throw notFound('Course');
};

/** Stores a course by one of the table's statements. */
export const saveCourse = (session: Session, how: typeof COURSE.insert, it: Course): Promise<unknown> =>
  withConstraintProblems(session.query(how, COURSE.toJson([it])), {
    course_category_id: () => unknownIds([{ path: '/body/category_id', message: 'does not exist' }]),
  });
