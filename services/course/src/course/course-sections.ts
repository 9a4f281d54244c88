import { courseEvents, CourseSection, notFound } from '@teaching/contracts';
import { instant, p, type Session, statement, table } from '@teaching/kit';
import { COURSE } from './course-rows.ts';

export const SECTION = table('course_section', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  course_id: p.uuid(),
  parent_id: p.uuid().nullable(),
  title: p.text(),
  position: p.integer(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
});

const TEACHER = COURSE.pick('teacher_id');
/** The lock of the course's row protects its sections and their order. */
const LOCK = statement(`select ${TEACHER.columns} from course where org_id = $1 and id = $2 for update`, TEACHER.shape);
const SHOWN = SECTION.contractColumns(CourseSection);
/** Sent together with the lock and run after it, so the rows that it reads cannot change. */
const READ = statement(
  `select ${SHOWN.columns} from course_section where org_id = $1 and course_id = $2 order by position`,
  SHOWN.shape,
);
/** Sections never change their course. */
const COURSE_OF = statement(
  'select course_id from course_section where org_id = $1 and id = $2',
  SECTION.pick('course_id').shape,
);
const RENUMBER = statement(
  `update course_section s set position = o.n - 1, version = version + 1, updated_at = $3
   from unnest($2::uuid[]) with ordinality as o(id, n)
   where s.org_id = $1 and s.id = o.id and s.position <> o.n - 1`,
);

/**
 * Locks a course and returns its sections, in order. Only the teacher of the course and supervisors may change them
 * (403). Throws 404 if the course does not exist.
 */
export const lockSections = async (session: Session, course_id: string): Promise<CourseSection[]> => {
  const [course, sections] = await Promise.all([
    session.queryOne(LOCK, session.org_id, course_id),
    session.query(READ, session.org_id, course_id),
  ]);
  if (course === undefined) throw notFound('Course');
  session.access.requireOwner(course.teacher_id);
  return sections;
};

/** Locks the course of a section. Returns the section and all sections of the course. Honours `If-Match`. */
export const lockSection = async (
  session: Session,
  id: string,
): Promise<{ it: CourseSection; sections: CourseSection[] }> => {
  const found = await session.queryOne(COURSE_OF, session.org_id, id);
  if (found === undefined) throw notFound('Section');
  const sections = await lockSections(session, found.course_id);
  const it = sections.find((section) => section.id === id);
  if (it === undefined) throw notFound('Section');
  session.checkVersion(it.version);
  return { it, sections };
};

/** Gives the sections the positions 0, 1, … in the order of `section_ids`. Publishes the new order. */
export const renumberSections = (session: Session, course_id: string, section_ids: string[]): void => {
  session.run(RENUMBER, session.org_id, section_ids, session.now);
  session.emit(courseEvents.sectionsReordered, course_id, { course_id, section_ids });
};

export const readSections = (session: Session, course_id: string): Promise<CourseSection[]> =>
  session.query(READ, session.org_id, course_id);
