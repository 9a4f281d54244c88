import { courseReferenceCalls, type FieldProblem, packageCalls, unknownIds } from '@teaching/contracts';
import type { Session } from '@teaching/kit';

interface References {
  course_id?: string | null | undefined;
  course_package_id?: string | null | undefined;
}

const missingCourse = async (session: Session, id: string): Promise<boolean> => {
  const asked = { category_ids: [], course_ids: [id], sections: [] };
  return (await session.neighbours.call(courseReferenceCalls.checkReferences, asked)).course_ids.length > 0;
};

const missingPackage = async (session: Session, id: string): Promise<boolean> =>
  (await session.neighbours.call(packageCalls.checkReferences, { package_ids: [id] })).package_ids.length > 0;

/** Asks the neighbours whether the course and the package exist in the org; 404 naming what does not. */
export const checkReferences = async (session: Session, { course_id, course_package_id }: References) => {
  const [course, pack] = await Promise.all([
    course_id == null ? false : missingCourse(session, course_id),
    course_package_id == null ? false : missingPackage(session, course_package_id),
  ]);
  const errors: FieldProblem[] = [
    ...(course ? [{ path: '/body/course_id', message: 'does not exist' }] : []),
    ...(pack ? [{ path: '/body/course_package_id', message: 'does not exist' }] : []),
  ];
  if (errors.length > 0) throw unknownIds(errors);
};
