import type { CourseGroup, courseGroupCalls } from '@teaching/contracts';
import { type Filter, type Handler, isStaff, isSupervisor, pagedList, type Session } from '@teaching/kit';
import { equals, keywordFilter } from '../shared/list.ts';
import { GROUP_COURSES } from './group-courses.ts';

const listOf = (courses: string) =>
  pagedList<CourseGroup, 'name' | 'created_at' | 'updated_at'>({
    columns: `id, org_id, name, description, owner_id, org_visible, version, created_at, updated_at,
      ${courses} as courses`,
    from: 'course_group g',
    bulky: true,
    sorts: {
      name: { by: 'name', type: 'text' },
      created_at: { by: 'created_at', type: 'timestamptz' },
      updated_at: { by: 'updated_at', type: 'timestamptz' },
    },
  });
const forStaff = listOf(GROUP_COURSES.staff);
const forStudents = listOf(GROUP_COURSES.student);
const listFor = (session: Session) => (isStaff(session.caller) ? forStaff : forStudents);

export const findOrgVisible: Handler<typeof courseGroupCalls.findOrgVisible> = ({ query }, session) =>
  listFor(session)(session, query, [['org_id = ?', session.org_id], ['org_visible'], ...keywordFilter(query.keyword)]);

export const listGroups: Handler<typeof courseGroupCalls.list> = ({ query }, session) => {
  const { caller } = session;
  const visible: Filter[] = isSupervisor(caller) ? [] : [['(org_visible or owner_id = ?)', caller.user_id]];
  return listFor(session)(session, query, [
    ['org_id = ?', session.org_id],
    ...visible,
    ...equals({ owner_id: query.owner_id }),
    ...keywordFilter(query.keyword),
  ]);
};
