import { type Course, notFound, unknownIds } from '@teaching/contracts';
import { rowsOf, type Session, type Statement, refusing } from '@teaching/kit';
import { COURSE } from './course.table.ts';

/** Loads and locks one course of the caller's org, and honours `If-Match`. */
export const lockCourse = async (session: Session, id: string): Promise<Course> => {
  const found = await session.one(COURSE.lock, session.org_id, id);
  if (found === undefined) throw notFound('Course');
  session.checkVersion(found.version);
  return found;
};

/** Inserts or updates a course; what the database refuses is said in the caller's terms. */
export const saveCourse = (session: Session, how: Statement<unknown>, it: Course): Promise<unknown> =>
  refusing(session.query(how, rowsOf(it)), {
    course_category_id: () => unknownIds([{ path: '/body/category_id', message: 'does not exist' }]),
  });
