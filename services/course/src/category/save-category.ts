import { type CourseCategory, notFound, Problem, unknownIds } from '@teaching/contracts';
import { rowsOf, type Session, type Statement, statement, refusing } from '@teaching/kit';
import { CATEGORY } from './category.table.ts';

/** Moves within one org's tree take turns: two that are harmless one by one may close a cycle together. */
const ONE_MOVE = statement(`select pg_advisory_xact_lock(hashtextextended('course_category ' || $1, 3))`);
/** The category and everything above it. */
const PATH = statement<{ id: string }>(
  `with recursive up as (
     select id, parent_id from course_category where org_id = $1 and id = $2
     union
     select c.id, c.parent_id from up join course_category c on c.org_id = $1 and c.id = up.parent_id
   ) select id from up`,
);

const unknownParent = () => unknownIds([{ path: '/body/parent_id', message: 'does not exist' }]);

/** Refuses a parent that does not exist or that lies below the moved category. */
export const checkMove = async (session: Session, id: string, parent_id: string): Promise<void> => {
  session.run(ONE_MOVE, session.org_id);
  const path = await session.query(PATH, session.org_id, parent_id);
  if (path.length === 0) throw unknownParent();
  if (path.some((above) => above.id === id)) throw new Problem('cycle', 'A category cannot lie below itself');
};

/** Inserts or updates a category; what the database refuses is said in the caller's terms. */
export const saveCategory = (session: Session, how: Statement<unknown>, it: CourseCategory): Promise<unknown> =>
  refusing(session.query(how, rowsOf(it)), {
    course_category_sibling: () => new Problem('duplicate', 'A category of this name is already there'),
    course_category_parent: unknownParent,
  });

/** Loads and locks one category of the caller's org, and honours `If-Match`. */
export const lockCategory = async (session: Session, id: string): Promise<CourseCategory> => {
  const found = await session.one(CATEGORY.lock, session.org_id, id);
  if (found === undefined) throw notFound('Category');
  session.checkVersion(found.version);
  return found;
};
