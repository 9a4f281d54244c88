import {
  CategoryFields,
  CourseCategory,
  courseCategoryCalls,
  courseEvents,
  Problem,
  unknownIds,
} from '@teaching/contracts';
import {
  equalsAnyOf,
  notNull,
  requireVersion,
  bigint,
  containsKeyword,
  type Handler,
  instant,
  isSameName,
  newRecord,
  voidResult,
  p,
  pagedList,
  twoStepHandler,
  withConstraintProblems,
  requireUnused,
  saveChanged,
  type Session,
  statement,
  table,
} from '@teaching/kit';
import { countRemoteCategoryReferences } from '../reference/remote-references.ts';

const CATEGORY = table('course_category', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  name: p.text(),
  parent_id: p.uuid().nullable(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
});

/** Serializes moves in the category tree of an org. Two moves that are each valid could form a cycle together. */
const LOCK_TREE = statement("select own_turn($1, 'course_category')", { own_turn: voidResult() });
/** The category and all its ancestors. */
const PATH = statement(
  `with recursive up as (
     select id, parent_id from course_category where org_id = $1 and id = $2
     union
     select c.id, c.parent_id from up join course_category c on c.org_id = $1 and c.id = up.parent_id
   ) select id from up`,
  { id: notNull(p.uuid()) },
);

const unknownParent = () => unknownIds([{ path: '/body/parent_id', message: 'does not exist' }]);

/** Refuses a parent that does not exist, is the moved category, or is one of its descendants. */
const checkMove = async (session: Session, id: string, parent_id: string): Promise<void> => {
  session.run(LOCK_TREE, session.org_id);
  const path = await session.query(PATH, session.org_id, parent_id);
  if (path.length === 0) throw unknownParent();
  if (path.some((ancestor) => ancestor.id === id)) throw new Problem('cycle', 'A category cannot be below itself');
};

const USES = statement(
  `select (select count(*) from course_category where org_id = $1 and parent_id = $2) as categories,
          (select count(*) from course where org_id = $1 and category_id = $2) as courses`,
  { categories: notNull(bigint()), courses: notNull(bigint()) },
);

const NAME_IN_TURN = statement("select own_turn($1, 'course_category_name')", { own_turn: voidResult() });
const SIBLING = CATEGORY.pick('name');
const SIBLINGS = statement(
  `select ${SIBLING.columns} from course_category
   where org_id = $1 and id <> $2 and parent_id is not distinct from $3`,
  SIBLING.shape,
);
const duplicate = () => new Problem('duplicate', 'A sibling category already has this name');

/**
 * Inserts or updates a category with the given statement of the table. 409 `duplicate` when a sibling has the same
 * name (`isSameName`). The names are compared in turn, so that of two parallel writers only one gets the name.
 */
const save = async (
  session: Session,
  write: typeof CATEGORY.insert,
  it: CourseCategory,
  before?: CourseCategory,
): Promise<void> => {
  if (it.name !== before?.name || it.parent_id !== before.parent_id) {
    session.run(NAME_IN_TURN, session.org_id);
    const siblings = await session.query(SIBLINGS, session.org_id, it.id, it.parent_id);
    if (siblings.some(({ name }) => isSameName(name, it.name))) throw duplicate();
  }
  await withConstraintProblems(session.query(write, CATEGORY.toJson([it])), {
    course_category_sibling: duplicate,
    course_category_parent: unknownParent,
  });
};

const lock = async (session: Session, id: string): Promise<CourseCategory> =>
  requireVersion(session, await session.lock(CATEGORY, id), 'Category');

export const createCourseCategory: Handler<typeof courseCategoryCalls.createCourseCategory> = async (
  { body },
  session,
) => {
  const created = { ...newRecord(session), ...CategoryFields.withDefaults(body, {}) };
  await save(session, CATEGORY.insert, created);
  session.emit(courseEvents.categoryCreated, created.id, created);
  return created;
};

const list = pagedList({
  ...CATEGORY.contractColumns(CourseCategory),
  from: 'course_category',
  sorts: {
    name: { by: 'name', type: 'text' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
  },
  where: { parent_id: equalsAnyOf('parent_id'), keyword: containsKeyword('lower(name)') },
});

export const listCourseCategories: Handler<typeof courseCategoryCalls.listCourseCategories> = ({ query }, session) =>
  list(session, query, query);

export const updateCourseCategory: Handler<typeof courseCategoryCalls.updateCourseCategory> = async (
  { path, body },
  session,
) => {
  // The tree is locked before the row. All moves take locks in this order, so they cannot deadlock.
  if (body.parent_id != null) await checkMove(session, path.id, body.parent_id);
  const it = await lock(session, path.id);
  return saveChanged(session, it, { ...it, ...CategoryFields.applyPatch(it, body, {}) }, async (after) => {
    await save(session, CATEGORY.update, after, it);
    session.emit(courseEvents.categoryUpdated, it.id, after);
  });
};

export const deleteCourseCategory = twoStepHandler(courseCategoryCalls.deleteCourseCategory, {
  prepare: ({ path }, session) =>
    session.deletion.announce(path.id, {
      check: async () => requireVersion(session, await session.peekRow(CATEGORY, path.id), 'Category'),
      countReferences: () => countRemoteCategoryReferences(session, path.id),
    }),
  run: async ({ path }, session, remoteUses) => {
    const it = await lock(session, path.id);
    const uses = await session.queryOne(USES, session.org_id, it.id);
    requireUnused([
      { what: 'category', count: uses?.categories ?? 0 },
      { what: 'course', count: uses?.courses ?? 0 },
      ...remoteUses,
    ]);
    session.remove(CATEGORY, it.id);
    session.emit(courseEvents.categoryDeleted, it.id, { id: it.id });
    return null;
  },
});
