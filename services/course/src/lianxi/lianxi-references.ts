import { clazzReferenceCalls, unknownIds } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { SECTION } from '../course/course-sections.ts';

/** Locks the section and its course, so that they cannot be deleted before the exercise refers to them. */
const COURSE_OF = statement(
  `select s.course_id from course_section s join course c on c.org_id = s.org_id and c.id = s.course_id
   where s.org_id = $1 and s.id = $2 for key share`,
  SECTION.pick('course_id').shape,
);

interface References {
  clazz_id?: string | null | undefined;
  course_section_id?: string | undefined;
}

const unknownSection = { path: '/body/course_section_id', message: 'does not exist' };

/** The id of the section's course. Throws 404 if the section does not exist. */
export const courseIdOfSection = async (session: Session, course_section_id: string): Promise<string> => {
  const found = await session.queryOne(COURSE_OF, session.org_id, course_section_id);
  if (found !== undefined) return found.course_id;
  throw unknownIds([unknownSection]);
};

/**
 * Checks with the class service that the class exists. Must run before the transaction. Throws 404 if it does not; the
 * problem then also names an unknown section.
 */
export const requireExistingClazz = async (
  session: Session,
  { clazz_id, course_section_id }: References,
): Promise<void> => {
  if (clazz_id == null) return;
  const findMissing = await session.references.findMissing([clazz_id], async (clazz_ids) => {
    const response = await session.peers.call(clazzReferenceCalls.checkReferences, { clazz_ids });
    return { ...response, missing: response.clazz_ids };
  });
  if (findMissing.size === 0) return;
  const isUnknown =
    course_section_id !== undefined &&
    (await session.peek(SECTION.read, session.org_id, course_section_id)).length === 0;
  throw unknownIds([...(isUnknown ? [unknownSection] : []), { path: '/body/clazz_id', message: 'does not exist' }]);
};

/** Ids of the classes that a student belongs to now. They are never cached, so a former member sees nothing. */
export const clazzIdsOfStudent = async (session: Session, student_id: string): Promise<string[]> =>
  (await session.peers.call(clazzReferenceCalls.getRoster, { student_id })).clazz_ids;

/** Ids of the current students of a class. */
export const studentIdsOfClazz = async (session: Session, clazz_id: string): Promise<string[]> =>
  (await session.peers.call(clazzReferenceCalls.getStudents, { clazz_id })).student_ids;

/** Ids of the classes of the requested students. Empty without students. */
export const clazzIdsOfRequestedStudents = async (
  session: Session,
  students: readonly string[] = [],
): Promise<string[]> => [
  ...new Set((await Promise.all(students.map((one) => clazzIdsOfStudent(session, one)))).flat()),
];

/** Ids of the caller's classes if the caller's access depends on them. Empty for staff, who can see every exercise. */
export const clazzIdsOfCaller = (session: Session): Promise<string[]> =>
  clazzIdsOfRequestedStudents(session, session.access.isLimitedTo('member') ? [session.caller.user_id] : []);
