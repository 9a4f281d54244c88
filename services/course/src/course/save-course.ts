import { LockMode } from '@mikro-orm/postgresql';
import { notFound, unknownIds } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { save } from '../shared/save.ts';
import { CourseEntity } from './course.entity.ts';

/** Loads and locks one course of the caller's org, and honours `If-Match`. */
export const lockCourse = async (session: Session, id: string): Promise<CourseEntity> => {
  const em = await session.entities();
  const found = await em.findOne(
    CourseEntity,
    { org_id: session.org_id, id },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (found === null) throw notFound('Course');
  session.checkVersion(found.version);
  return found;
};

export const saveCourse = (session: Session): Promise<void> =>
  save(session, {
    course_category_id: () => unknownIds([{ path: '/body/category_id', message: 'does not exist' }]),
  });
