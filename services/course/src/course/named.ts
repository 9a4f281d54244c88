import { Course, notFound } from '@teaching/contracts';
import { names, p, type Session, statement } from '@teaching/kit';
import { COURSE } from './course.table.ts';

const SHOWN = COURSE.wire(Course);
const teacher = names('c', 'teacher_id');
const NAMES = {
  columns: `${teacher.columns},
    (select name from course_category where org_id = c.org_id and id = c.category_id) as category_name`,
  shape: { ...teacher.shape, category_name: p.text().nullable() },
};

/** A course `c` as it is read. */
export const NAMED = {
  columns: `${SHOWN.of('c')}, ${NAMES.columns}`,
  shape: { ...SHOWN.shape, ...NAMES.shape },
};

const READ = statement(`select ${NAMES.columns} from course c where c.org_id = $1 and c.id = $2`, NAMES.shape);

/** A course that was just stored, as it is read. */
export const withNames = async (session: Session, it: Course) => {
  const named = await session.one(READ, session.org_id, it.id);
  if (named === undefined) throw notFound('Course');
  return { ...it, ...named };
};
