import { type Course, type courseCalls, notFound } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import { COURSE_COLUMNS } from './course.entity.ts';
import { maySee } from './course.rules.ts';

const FIND = statement<Course>(`select ${COURSE_COLUMNS} from course where org_id = $1 and id = $2`);

/** The course, if it is there for the caller. */
export const visibleCourse = async (session: Session, id: string): Promise<Course> => {
  const found = await session.one(FIND, session.org_id, id);
  if (found === undefined || !maySee(session.caller, found)) throw notFound('Course');
  return found;
};

export const getCourse: Handler<typeof courseCalls.get> = ({ path }, session) => visibleCourse(session, path.id);
