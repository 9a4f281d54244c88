import { type CourseSection, notFound } from '@teaching/contracts';
import { type Session, statement, requireOwner } from '@teaching/kit';

export const SECTION_COLUMNS = 'id, org_id, course_id, parent_id, title, position, version, created_at, updated_at';

/** The course's row is the lock of its sections: whoever changes them or their order waits for it. */
const LOCK = statement<{ teacher_id: string }>(
  'select teacher_id from course where org_id = $1 and id = $2 for update',
);
/** Sent with the lock, run after it: what it reads cannot change any more. */
const READ = statement<CourseSection>(
  `select ${SECTION_COLUMNS} from course_section where org_id = $1 and course_id = $2 order by position`,
);
const COURSE_OF = statement<{ course_id: string }>(
  'select course_id from course_section where org_id = $1 and id = $2',
);
const RENUMBER = statement(
  `update course_section s set position = o.n - 1, version = version + 1, updated_at = $3
   from unnest($2::uuid[]) with ordinality as o(id, n)
   where s.org_id = $1 and s.id = o.id and s.position <> o.n - 1`,
);

/** Locks a course for a change of its sections by its teacher or a supervisor. */
export const lockSections = async (session: Session, course_id: string): Promise<CourseSection[]> => {
  const [course, sections] = await Promise.all([
    session.one(LOCK, session.org_id, course_id),
    session.query(READ, session.org_id, course_id),
  ]);
  if (course === undefined) throw notFound('Course');
  requireOwner(session.caller, course.teacher_id);
  return sections;
};

/** The same by one of its sections, which is returned with them. Sections never change their course. */
export const lockSection = async (
  session: Session,
  id: string,
): Promise<{ it: CourseSection; sections: CourseSection[] }> => {
  const found = await session.one(COURSE_OF, session.org_id, id);
  if (found === undefined) throw notFound('Section');
  const sections = await lockSections(session, found.course_id);
  const it = sections.find((section) => section.id === id);
  if (it === undefined) throw notFound('Section');
  session.checkVersion(it.version);
  return { it, sections };
};

/** Gives the sections positions 0, 1, … in this order. */
export const renumber = (session: Session, ids: readonly string[]): void =>
  session.run(RENUMBER, session.org_id, ids, session.now);

export const readSections = (session: Session, course_id: string): Promise<CourseSection[]> =>
  session.query(READ, session.org_id, course_id);
