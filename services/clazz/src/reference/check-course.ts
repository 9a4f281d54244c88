import { courseReferenceCalls } from '@teaching/contracts';
import type { Session } from '@teaching/kit';

/** Which of these courses, whose ids are going to be stored, are not there: asked for once, however many. */
export const missingCourses = (session: Session, ids: readonly string[]): Promise<Set<string>> =>
  session.references.missing(ids, async (course_ids) => {
    const asked = { category_ids: [], course_ids, sections: [] };
    const said = await session.neighbours.call(courseReferenceCalls.checkReferences, asked);
    return { ...said, missing: said.course_ids };
  });

/** Whether one is not there. */
export const isCourseMissing = async (session: Session, id: string): Promise<boolean> =>
  (await missingCourses(session, [id])).size > 0;
