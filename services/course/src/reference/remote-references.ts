import { clazzReferenceCalls, packageReferenceCalls } from '@teaching/contracts';
import type { Session, ReferenceCount } from '@teaching/kit';

/** Number of records of other services that refer to a category whose deletion is announced. */
export const countRemoteCategoryReferences = async (
  session: Session,
  category_id: string,
): Promise<ReferenceCount[]> => {
  const { packages } = await session.peers.call(packageReferenceCalls.countReferences, { category_id });
  return [{ what: 'course_package', count: packages }];
};

export const countRemoteCourseReferences = async (session: Session, course_id: string): Promise<ReferenceCount[]> => {
  const [{ packages }, { clazzes, hour_lots }] = await Promise.all([
    session.peers.call(packageReferenceCalls.countReferences, { course_id }),
    session.peers.call(clazzReferenceCalls.countReferences, { course_id }),
  ]);
  return [
    { what: 'course_package', count: packages },
    { what: 'clazz', count: clazzes },
    { what: 'hour_lot', count: hour_lots },
  ];
};

export const countRemoteSectionReferences = async (
  session: Session,
  course_id: string,
  section_id: string,
): Promise<ReferenceCount[]> => {
  const { packages } = await session.peers.call(packageReferenceCalls.countReferences, {
    course_id,
    course_section_id: section_id,
  });
  return [{ what: 'course_package', count: packages }];
};
