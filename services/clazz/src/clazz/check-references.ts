import { type FieldProblem, packageCalls, unknownIds } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { isCourseMissing } from '../reference/check-course.ts';

interface References {
  course_id?: string | null | undefined;
  course_package_id?: string | null | undefined;
}

const isPackageMissing = async (session: Session, id: string): Promise<boolean> => {
  const missing = await session.references.missing([id], async (package_ids) => {
    const said = await session.neighbours.call(packageCalls.checkReferences, { package_ids });
    return { ...said, missing: said.package_ids };
  });
  return missing.size > 0;
};

/** Asks the neighbours whether the course and the package exist in the org; 404 naming what does not. */
export const checkReferences = async (session: Session, { course_id, course_package_id }: References) => {
  const [course, pack] = await Promise.all([
    course_id == null ? false : isCourseMissing(session, course_id),
    course_package_id == null ? false : isPackageMissing(session, course_package_id),
  ]);
  const errors: FieldProblem[] = [
    ...(course ? [{ path: '/body/course_id', message: 'does not exist' }] : []),
    ...(pack ? [{ path: '/body/course_package_id', message: 'does not exist' }] : []),
  ];
  if (errors.length > 0) throw unknownIds(errors);
};
