import { courseCategoryCalls, courseEvents } from '@teaching/contracts';
import { prepared, statement } from '@teaching/kit';
import { usesOfCategory } from '../reference/uses-elsewhere.ts';
import { requireUnused } from '../shared/in-use.rules.ts';
import { CATEGORY } from './category.table.ts';
import { lockCategory } from './save-category.ts';

const USES = statement<{ categories: number; courses: number }>(
  `select (select count(*) from course_category where org_id = $1 and parent_id = $2) as categories,
          (select count(*) from course where org_id = $1 and category_id = $2) as courses`,
);

export const removeCategory = prepared(courseCategoryCalls.remove, {
  prepare: ({ path }, session) => usesOfCategory(session, path.id),
  run: async ({ path }, session, elsewhere) => {
    const it = await lockCategory(session, path.id);
    const uses = await session.one(USES, session.org_id, it.id);
    requireUnused([
      { what: 'category', count: uses?.categories ?? 0 },
      { what: 'course', count: uses?.courses ?? 0 },
      ...elsewhere,
    ]);
    session.run(CATEGORY.remove, session.org_id, it.id);
    session.emit(courseEvents.categoryDeleted, it.id, { id: it.id });
    return null;
  },
});
