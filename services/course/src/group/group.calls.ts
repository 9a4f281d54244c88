import { courseEvents, CourseGroup, type courseGroupCalls, GroupFields, notFound } from '@teaching/contracts';
import {
  equalsAnyOf,
  containsKeyword,
  type Handler,
  nameColumns,
  newRecord,
  pagedList,
  saveChanged,
  type Session,
} from '@teaching/kit';
import { COURSES_SHAPE, GROUP, COURSES_COLUMN, lockGroup, readCourses } from './group-rows.ts';
import { canSeeDrafts, relatedPeopleOfGroup } from './group.rules.ts';

export const createCourseGroup: Handler<typeof courseGroupCalls.createCourseGroup> = async ({ body }, session) => {
  const owner_id = session.access.resolveOwner(body.owner_id);
  const created = { ...newRecord(session), ...GroupFields.withDefaults(body, { owner_id }) };
  session.insert(GROUP, created);
  session.emit(courseEvents.groupCreated, created.id, created);
  return { ...created, ...(await readCourses(session, created.id)) };
};

export const getCourseGroup: Handler<typeof courseGroupCalls.getCourseGroup> = async ({ path }, session) => {
  const found = await session.find(GROUP, path.id);
  if (found === undefined || !session.access.allows(relatedPeopleOfGroup(found))) throw notFound('Group');
  return { ...found, ...(await readCourses(session, found.id)) };
};

const LISTED = GROUP.contractColumns(CourseGroup);
const ownerName = nameColumns('g', 'owner_id');
const listOf = (courses: string) =>
  pagedList({
    columns: `${LISTED.columns}, ${ownerName.columns}, ${courses}`,
    shape: { ...LISTED.shape, ...ownerName.shape, ...COURSES_SHAPE },
    from: 'course_group g',
    bulky: true,
    sorts: {
      name: { by: 'name', type: 'text' },
      created_at: { by: 'created_at', type: 'timestamptz' },
      updated_at: { by: 'updated_at', type: 'timestamptz' },
    },
    where: {
      org_visible: 'org_visible',
      seen_by: '(org_visible or owner_id = ?)',
      owner_id: equalsAnyOf('owner_id'),
      keyword: containsKeyword('search'),
    },
  });
const forStaff = listOf(COURSES_COLUMN.staff);
const forStudents = listOf(COURSES_COLUMN.student);
const listFor = (session: Session) => (canSeeDrafts(session.caller) ? forStaff : forStudents);

export const listOrganizationVisibleCourseGroups: Handler<
  typeof courseGroupCalls.listOrganizationVisibleCourseGroups
> = ({ query }, session) =>
  listFor(session)(session, query, { org_visible: session.access.isLimitedTo('offered'), keyword: query.keyword });

export const listCourseGroups: Handler<typeof courseGroupCalls.listCourseGroups> = ({ query }, session) => {
  const seen_by = session.access.isLimitedTo('owner') ? session.caller.user_id : undefined;
  return listFor(session)(session, query, { seen_by, owner_id: query.owner_id, keyword: query.keyword });
};

/** An absent field keeps its value. `null` resets it to the default of a new group. */
export const updateCourseGroup: Handler<typeof courseGroupCalls.updateCourseGroup> = async (
  { path, body },
  session,
) => {
  const it = await lockGroup(session, path.id);
  const owner_id = session.access.resolveOwner(body.owner_id ?? it.owner_id);
  const applyPatch = { ...it, ...GroupFields.applyPatch(it, body, { owner_id }) };
  const answer = await saveChanged(session, it, applyPatch, (after) => {
    session.update(GROUP, after);
    session.emit(courseEvents.groupUpdated, it.id, after);
  });
  return { ...answer, ...(await readCourses(session, it.id)) };
};

export const deleteCourseGroup: Handler<typeof courseGroupCalls.deleteCourseGroup> = async ({ path }, session) => {
  const it = await lockGroup(session, path.id);
  session.remove(GROUP, it.id);
  session.emit(courseEvents.groupDeleted, it.id, { id: it.id });
  return null;
};
