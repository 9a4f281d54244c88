import { clazzReferenceCalls, unknownIds } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { SECTION } from '../course/course-sections.ts';

/** Locks section and course, so that they are there until the practice refers to them. */
const COURSE_OF = statement(
  `select s.course_id from course_section s join course c on c.org_id = s.org_id and c.id = s.course_id
   where s.org_id = $1 and s.id = $2 for key share`,
  SECTION.pick('course_id').shape,
);

interface Named {
  clazz_id?: string | null | undefined;
  course_section_id?: string | undefined;
}

const unknownSection = { path: '/body/course_section_id', message: 'does not exist' };

/** The course of the section; 404 when the section is not there. */
export const courseOfSection = async (session: Session, course_section_id: string): Promise<string> => {
  const found = await session.queryOne(COURSE_OF, session.org_id, course_section_id);
  if (found !== undefined) return found.course_id;
  throw unknownIds([unknownSection]);
};

/** Asks the class service, before the transaction; 404 when the class is not there, which names an unknown section, too. */
export const checkClazz = async (session: Session, { clazz_id, course_section_id }: Named): Promise<void> => {
  if (clazz_id == null) return;
  const missing = await session.references.findMissing([clazz_id], async (clazz_ids) => {
    const said = await session.peers.call(clazzReferenceCalls.checkReferences, { clazz_ids });
    return { ...said, missing: said.clazz_ids };
  });
  if (missing.size === 0) return;
  const isUnknown =
    course_section_id !== undefined &&
    (await session.peek(SECTION.read, session.org_id, course_section_id)).length === 0;
  throw unknownIds([...(isUnknown ? [unknownSection] : []), { path: '/body/clazz_id', message: 'does not exist' }]);
};

/** The classes a student belongs to now. Read from the class service each time, so a former member sees nothing. */
export const clazzesOf = async (session: Session, student_id: string): Promise<string[]> =>
  (await session.peers.call(clazzReferenceCalls.getRoster, { student_id })).clazz_ids;

/** The students of a class now. */
export const studentsOf = async (session: Session, clazz_id: string): Promise<string[]> =>
  (await session.peers.call(clazzReferenceCalls.getStudents, { clazz_id })).student_ids;

/** The classes of the requested student; none without a student. */
export const clazzesOfAnyone = (session: Session, student_id: string | undefined): Promise<string[]> =>
  student_id === undefined ? Promise.resolve([]) : clazzesOf(session, student_id);

/** The classes of the caller, where access depends on them; none for staff, who see every practice. */
export const clazzesOfCaller = (session: Session): Promise<string[]> =>
  clazzesOfAnyone(session, session.access.isLimitedTo('member') ? session.caller.user_id : undefined);
