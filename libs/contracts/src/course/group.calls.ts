import { z } from 'zod';
import { call, LARGEST_BODY, LONG_BODY } from '../call.ts';
import { keywordQuery, page, pageQuery, sortQuery, commaSeparated } from '../page.ts';
import { ALL_ROLES, ID, PersonIdInput, STAFF } from '../scalars.ts';
import { eachOnce } from '../rules.ts';
import { GroupFields, MAX_GROUP_COURSES, NamedGroup } from './course.schema.ts';

const BASE = '/api/v1/ws/course-group';
const listQuery = {
  ...keywordQuery,
  ...sortQuery(['name', 'created_at', 'updated_at'], 'name'),
  ...pageQuery,
};

/** Course groups: named sets of courses. Only owner and supervisors see a group that is not `org_visible`. */
export const courseGroupCalls = {
  listOrganizationVisibleCourseGroups: call({
    id: 'course.group.find_org_visible',
    http: 'GET /api/v1/ws/find_org_visible_course_groups',
    summary: 'List the course groups that the organization sees. Each has its courses',
    roles: ALL_ROLES,
    access: 'offered',
    writes: false,
    query: listQuery,
    output: page(NamedGroup),
  }),
  createCourseGroup: call({
    id: 'course.group.create',
    http: `POST ${BASE}`,
    summary: 'Create a course group. Only supervisors may set an `owner_id` other than the caller',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    status: 201,
    max_body: LONG_BODY,
    body: z.strictObject(GroupFields.create),
    output: NamedGroup,
  }),
  listCourseGroups: call({
    id: 'course.group.list',
    http: `GET ${BASE}`,
    summary: 'List the course groups that the caller may see',
    roles: ALL_ROLES,
    access: { TEACHER: ['owner', 'offered'], STUDENT: ['owner', 'offered'] },
    writes: false,
    query: { ...listQuery, owner_id: commaSeparated(PersonIdInput).optional() },
    output: page(NamedGroup),
  }),
  getCourseGroup: call({
    id: 'course.group.get',
    http: `GET ${BASE}/{id}`,
    summary: 'Read a course group',
    roles: ALL_ROLES,
    access: { TEACHER: ['owner', 'offered'], STUDENT: ['owner', 'offered'] },
    writes: false,
    path: { id: ID },
    output: NamedGroup,
  }),
  updateCourseGroup: call({
    id: 'course.group.update',
    http: `PATCH ${BASE}/{id}`,
    summary: 'Update a course group',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    path: { id: ID },
    max_body: LONG_BODY,
    body: z.strictObject({ ...GroupFields.patch, owner_id: PersonIdInput.optional() }),
    output: NamedGroup,
    errors: ['version_mismatch'],
  }),
  deleteCourseGroup: call({
    id: 'course.group.remove',
    http: `DELETE ${BASE}/{id}`,
    summary: 'Delete a course group. Its courses stay',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    status: 204,
    path: { id: ID },
    output: z.null(),
    errors: ['version_mismatch'],
  }),
  putCourseGroupCourses: call({
    id: 'course.group.put_courses',
    http: `PUT ${BASE}/{id}/courses`,
    summary: `Replace the courses of a group. The list is in order and has at most ${MAX_GROUP_COURSES} courses`,
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    path: { id: ID },
    max_body: LARGEST_BODY,
    body: z.strictObject({ course_ids: z.array(ID).max(MAX_GROUP_COURSES).check(eachOnce) }),
    output: NamedGroup,
    errors: ['version_mismatch'],
  }),
};
