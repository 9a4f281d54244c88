import { CategoryFields, CourseCategory, courseCategoryCalls, courseEvents, Problem } from '@teaching/contracts';
import {
  asKnown,
  always,
  bigint,
  containing,
  type Handler,
  newRecord,
  pagedList,
  prepared,
  refusing,
  requireUnused,
  saveChanged,
  type Session,
  statement,
} from '@teaching/kit';
import { usesOfCategory } from '../reference/uses-elsewhere.ts';
import { CATEGORY } from './category.table.ts';
import { checkMove, unknownParent } from './check-move.ts';

const USES = statement(
  `select (select count(*) from course_category where org_id = $1 and parent_id = $2) as categories,
          (select count(*) from course where org_id = $1 and category_id = $2) as courses`,
  { categories: always(bigint()), courses: always(bigint()) },
);

/** Stores a category by one of the table's statements. */
const save = (session: Session, how: typeof CATEGORY.insert, it: CourseCategory): Promise<unknown> =>
  refusing(session.query(how, CATEGORY.rows([it])), {
    course_category_sibling: () => new Problem('duplicate', 'A category of this name is already there'),
    course_category_parent: unknownParent,
  });

const lock = async (session: Session, id: string): Promise<CourseCategory> =>
  asKnown(session, await session.lock(CATEGORY, id), 'Category');

export const createCourseCategory: Handler<typeof courseCategoryCalls.createCourseCategory> = async (
  { body },
  session,
) => {
  const created = { ...newRecord(session), ...CategoryFields.filled(body, {}) };
  await save(session, CATEGORY.insert, created);
  session.emit(courseEvents.categoryCreated, created.id, created);
  return created;
};

const list = pagedList({
  ...CATEGORY.wire(CourseCategory),
  from: 'course_category',
  sorts: {
    name: { by: 'name', type: 'text' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
  },
  where: { parent_id: 'parent_id = ?', keyword: containing('lower(name)') },
});

export const listCourseCategories: Handler<typeof courseCategoryCalls.listCourseCategories> = ({ query }, session) =>
  list(session, query, query);

export const updateCourseCategory: Handler<typeof courseCategoryCalls.updateCourseCategory> = async (
  { path, body },
  session,
) => {
  // Before the row's lock, so that two moves wait for each other in one order only.
  if (body.parent_id != null) await checkMove(session, path.id, body.parent_id);
  const it = await lock(session, path.id);
  return saveChanged(session, it, { ...it, ...CategoryFields.patched(it, body, {}) }, async (after) => {
    await save(session, CATEGORY.update, after);
    session.emit(courseEvents.categoryUpdated, it.id, after);
  });
};

export const deleteCourseCategory = prepared(courseCategoryCalls.deleteCourseCategory, {
  prepare: ({ path }, session) =>
    session.deletion.announce(path.id, {
      first: async () => asKnown(session, await session.peekAt(CATEGORY, path.id), 'Category'),
      ask: () => usesOfCategory(session, path.id),
    }),
  run: async ({ path }, session, elsewhere) => {
    const it = await lock(session, path.id);
    const uses = await session.one(USES, session.org_id, it.id);
    requireUnused([
      { what: 'category', count: uses?.categories ?? 0 },
      { what: 'course', count: uses?.courses ?? 0 },
      ...elsewhere,
    ]);
    session.remove(CATEGORY, it.id);
    session.emit(courseEvents.categoryDeleted, it.id, { id: it.id });
    return null;
  },
});
