import { clazzReferenceCalls, packageReferenceCalls } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import type { Use } from '../shared/in-use.rules.ts';

/** Asked before the transaction of a deletion: what other services keep that refers to the record. */
export const usesOfCategory = async (session: Session, category_id: string): Promise<Use[]> => {
  const { packages } = await session.neighbours.call(packageReferenceCalls.countReferences, { category_id });
  return [{ what: 'course_package', count: packages }];
};

export const usesOfCourse = async (session: Session, course_id: string): Promise<Use[]> => {
  const [{ packages }, { clazzes }] = await Promise.all([
    session.neighbours.call(packageReferenceCalls.countReferences, { course_id }),
    session.neighbours.call(clazzReferenceCalls.countReferences, { course_id }),
  ]);
  return [
    { what: 'course_package', count: packages },
    { what: 'clazz', count: clazzes },
  ];
};

export const usesOfSection = async (session: Session, course_id: string, section_id: string): Promise<Use[]> => {
  const { packages } = await session.neighbours.call(packageReferenceCalls.countReferences, {
    course_id,
    course_section_id: section_id,
  });
  return [{ what: 'course_package', count: packages }];
};
