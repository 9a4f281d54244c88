import { type Course, unknownIds } from '@teaching/contracts';
import { refusing, type Session } from '@teaching/kit';
import { COURSE } from './course.table.ts';

/** Stores a course by one of the table's statements. */
export const saveCourse = (session: Session, how: typeof COURSE.insert, it: Course): Promise<unknown> =>
  refusing(session.query(how, COURSE.rows([it])), {
    course_category_id: () => unknownIds([{ path: '/body/category_id', message: 'does not exist' }]),
  });
