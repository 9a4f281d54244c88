import { type Course, notFound } from '@teaching/contracts';
import { asKnown, type Session, statement } from '@teaching/kit';
import { COURSE } from './course.table.ts';
import { isOffered } from './course.rules.ts';

/** Loads and locks one course of the caller's org, and honours `If-Match`. */
export const lockCourse = async (session: Session, id: string): Promise<Course> =>
  asKnown(session, await session.lock(COURSE, id), 'Course');

const SEEN = COURSE.some('status');
const READ_SEEN = statement(`select ${SEEN.columns} from course where org_id = $1 and id = $2`, SEEN.shape);

/** Refuses with 404 when the course is not there for the caller. */
export const requireVisible = async (session: Session, id: string): Promise<void> => {
  const found = await session.one(READ_SEEN, session.org_id, id);
  if (found === undefined || !session.reach.covers({ offered: isOffered(found) })) throw notFound('Course');
};
