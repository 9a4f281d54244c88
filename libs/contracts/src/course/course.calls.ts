import { z } from 'zod';
import { call, LONG_BODY } from '../call.ts';
import { CopyBody } from '../copy-body.ts';
import { keywordQuery, page, pageQuery, sortQuery, commaSeparated } from '../page.ts';
import { ALL_ROLES, ID, PersonIdInput, STAFF } from '../scalars.ts';
import { CourseFields, CourseStatus, NamedCourse } from './course.schema.ts';

const BASE = '/api/v1/ws/course';

/** Courses (rules, part 3). Teachers write their own courses; all people read active courses. */
export const courseCalls = {
  createCourse: call({
    id: 'course.course.create',
    http: `POST ${BASE}`,
    summary: 'Create a course, by default as a draft',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    status: 201,
    max_body: LONG_BODY,
    body: z.strictObject(CourseFields.create),
    output: NamedCourse,
  }),
  listCourses: call({
    id: 'course.course.list',
    http: `GET ${BASE}`,
    summary: 'List courses. Students see active courses',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'offered' },
    writes: false,
    query: {
      ...keywordQuery,
      category_id: commaSeparated(ID).optional(),
      teacher_id: commaSeparated(PersonIdInput).optional(),
      status: commaSeparated(CourseStatus).optional(),
      ...sortQuery(['title', 'created_at', 'updated_at'], '-created_at'),
      ...pageQuery,
    },
    output: page(NamedCourse),
  }),
  getCourse: call({
    id: 'course.course.get',
    http: `GET ${BASE}/{id}`,
    summary: 'Read a course. Students read it while it is active',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'offered' },
    writes: false,
    path: { id: ID },
    output: NamedCourse,
  }),
  copyCourse: call({
    id: 'course.course.copy',
    http: `POST ${BASE}/{id}/copy`,
    summary: 'Copy a course with its sections, without its exercises. The copy is a draft and belongs to the caller',
    roles: STAFF,
    access: 'all',
    writes: true,
    status: 201,
    path: { id: ID },
    body: CopyBody,
    output: NamedCourse,
  }),
  updateCourse: call({
    id: 'course.course.update',
    http: `PATCH ${BASE}/{id}`,
    summary: 'Update a course',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    path: { id: ID },
    max_body: LONG_BODY,
    body: z.strictObject({ ...CourseFields.patch, teacher_id: PersonIdInput.optional() }),
    output: NamedCourse,
    errors: ['version_mismatch'],
  }),
  deleteCourse: call({
    id: 'course.course.remove',
    http: `DELETE ${BASE}/{id}`,
    summary: 'Delete a course that no record uses, with its sections',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    status: 204,
    path: { id: ID },
    output: z.null(),
    errors: ['in_use', 'version_mismatch'],
  }),
};
