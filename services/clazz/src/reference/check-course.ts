import { courseReferenceCalls } from '@teaching/contracts';
import type { Session } from '@teaching/kit';

/** Whether the course, whose id is going to be stored, is not there. */
export const isCourseMissing = async (session: Session, id: string): Promise<boolean> => {
  const missing = await session.references.missing([id], async (course_ids) => {
    const asked = { category_ids: [], course_ids, sections: [] };
    const said = await session.neighbours.call(courseReferenceCalls.checkReferences, asked);
    return { ...said, missing: said.course_ids };
  });
  return missing.size > 0;
};
