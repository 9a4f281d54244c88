import { type courseCalls, courseEvents, type CourseSection, notFound } from '@teaching/contracts';
import { type Handler, newRecord, type Session, statement } from '@teaching/kit';
import { readSections, SECTION } from './course-sections.ts';
import { COURSE, saveCourse, withNames } from './course-rows.ts';
import { sectionCopies } from './section.rules.ts';

/** Locks the course: it and its sections cannot change during the copy, and its category cannot be deleted. */
const LOCK_COURSE = statement(
  `select ${COURSE.columns} from course where org_id = $1 and id = $2 for share`,
  COURSE.shape,
);

const copySections = (session: Session, course_id: string, sections: readonly CourseSection[]): void => {
  const copies = sectionCopies(sections, () => ({ ...newRecord(session), course_id }));
  session.insert(SECTION, ...copies);
  for (const copy of copies) session.emit(courseEvents.sectionCreated, course_id, copy);
};

/** Creates a draft course with the sections of the original. The caller is its teacher. */
export const copyCourse: Handler<typeof courseCalls.copyCourse> = async ({ path, body }, session) => {
  // Both are sent at once and run in order: the second statement reads under the lock of the first.
  const [it, sections] = await Promise.all([
    session.queryOne(LOCK_COURSE, session.org_id, path.id),
    readSections(session, path.id),
  ]);
  if (it === undefined) throw notFound('Course');
  const teacher_id = session.caller.user_id;
  const copy = { ...it, ...newRecord(session), title: body?.title ?? it.title, teacher_id, status: 'draft' as const };
  await saveCourse(session, COURSE.insert, copy);
  session.emit(courseEvents.courseCreated, copy.id, copy);
  copySections(session, copy.id, sections);
  return withNames(session, copy);
};
