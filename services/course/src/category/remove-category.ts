import { type courseCategoryCalls, courseEvents } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { requireUnused } from '../shared/in-use.rules.ts';
import { lockCategory } from './save-category.ts';

const USES = statement<{ categories: number; courses: number }>(
  `select (select count(*) from course_category where org_id = $1 and parent_id = $2) as categories,
          (select count(*) from course where org_id = $1 and category_id = $2) as courses`,
);

export const removeCategory: Handler<typeof courseCategoryCalls.remove> = async ({ path }, session) => {
  const it = await lockCategory(session, path.id);
  const uses = await session.one(USES, session.org_id, it.id);
  requireUnused([
    { what: 'category', count: uses?.categories ?? 0 },
    { what: 'course', count: uses?.courses ?? 0 },
  ]);
  (await session.entities()).remove(it);
  session.emit(courseEvents.categoryDeleted, it.id, { id: it.id });
  return null;
};
