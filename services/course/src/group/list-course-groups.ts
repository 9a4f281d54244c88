import { CourseGroup, type courseGroupCalls } from '@teaching/contracts';
import { containing, type Handler, names, pagedList, type Session } from '@teaching/kit';
import { COURSES, GROUP_COURSES } from './group-courses.ts';
import { GROUP } from './group.table.ts';
import { seesDrafts } from './group.rules.ts';

const LISTED = GROUP.wire(CourseGroup);
const named = names('g', 'owner_id');
const listOf = (courses: string) =>
  pagedList({
    columns: `${LISTED.columns}, ${named.columns}, ${courses}`,
    shape: { ...LISTED.shape, ...named.shape, ...COURSES },
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
      owner_id: 'owner_id = ?',
      keyword: containing('search'),
    },
  });
const forStaff = listOf(GROUP_COURSES.staff);
const forStudents = listOf(GROUP_COURSES.student);
const listFor = (session: Session) => (seesDrafts(session.caller) ? forStaff : forStudents);

export const listOrganizationVisibleCourseGroups: Handler<
  typeof courseGroupCalls.listOrganizationVisibleCourseGroups
> = ({ query }, session) =>
  listFor(session)(session, query, { org_visible: session.reach.goesBy('offered'), keyword: query.keyword });

export const listCourseGroups: Handler<typeof courseGroupCalls.listCourseGroups> = ({ query }, session) => {
  const seen_by = session.reach.goesBy('owner') ? session.caller.user_id : undefined;
  return listFor(session)(session, query, { seen_by, owner_id: query.owner_id, keyword: query.keyword });
};
