import { type Course, type courseCalls, notFound } from '@teaching/contracts';
import { type Handler, type Session } from '@teaching/kit';
import { COURSE } from './course.table.ts';
import { maySee } from './course.rules.ts';

/** The course, if it is there for the caller. */
export const visibleCourse = async (session: Session, id: string): Promise<Course> => {
  const found = await session.one(COURSE.read, session.org_id, id);
  if (found === undefined || !maySee(session.caller, found)) throw notFound('Course');
  return found;
};

export const getCourse: Handler<typeof courseCalls.get> = ({ path }, session) => visibleCourse(session, path.id);
