import { z } from 'zod';
import { call, LARGEST_BODY } from '../call.ts';
import { page, pageQuery, queryInt } from '../page.ts';
import { ALL_ROLES, ID, optional, STAFF } from '../scalars.ts';
import { CourseSection, MAX_SECTIONS, SectionFields } from './course.schema.ts';

const WS = '/api/v1/ws';
const position = z
  .int()
  .min(0)
  .max(MAX_SECTIONS)
  .meta({ description: 'Index among all sections of the course, from 0' });

/** Sections of a course, in order, nested one level. */
export const courseSectionCalls = {
  createCourseSection: call({
    id: 'course.section.create',
    http: `POST ${WS}/course/{course_id}/section`,
    summary: `Create a section at \`position\`, by default at the end. A course has at most ${MAX_SECTIONS} sections`,
    who: STAFF,
    whose: { TEACHER: 'owner' },
    writes: true,
    status: 201,
    path: { course_id: ID },
    body: z.strictObject({ ...SectionFields.create, position: optional(position) }),
    output: CourseSection,
    errors: ['too_deep'],
  }),
  listCourseSections: call({
    id: 'course.section.list',
    http: `GET ${WS}/course/{course_id}/section`,
    summary: 'List the sections of a course by position. Without `limit` the response contains all',
    who: ALL_ROLES,
    whose: { TEACHER: 'all', STUDENT: 'offered' },
    writes: false,
    path: { course_id: ID },
    query: { ...pageQuery, limit: queryInt(1, 100).optional() },
    output: page(CourseSection),
  }),
  updateCourseSection: call({
    id: 'course.section.update',
    http: `PATCH ${WS}/course-section/{id}`,
    summary: 'Update a section or move it within its course',
    who: STAFF,
    whose: { TEACHER: 'owner' },
    writes: true,
    path: { id: ID },
    body: z.strictObject({ ...SectionFields.patch, position: position.optional() }),
    output: CourseSection,
    errors: ['cycle', 'too_deep', 'version_mismatch'],
  }),
  deleteCourseSection: call({
    id: 'course.section.remove',
    http: `DELETE ${WS}/course-section/{id}`,
    summary: 'Delete a section that no record uses',
    who: STAFF,
    whose: { TEACHER: 'owner' },
    writes: true,
    status: 204,
    path: { id: ID },
    output: z.null(),
    errors: ['in_use', 'version_mismatch'],
  }),
  reorderCourseSections: call({
    id: 'course.section.reorder',
    http: `POST ${WS}/course/{course_id}/section/reorder`,
    summary: 'Reorder the sections of a course. The list must contain all of them',
    who: STAFF,
    whose: { TEACHER: 'owner' },
    writes: true,
    path: { course_id: ID },
    max_body: LARGEST_BODY,
    body: z.strictObject({ section_ids: z.array(ID).max(MAX_SECTIONS) }),
    output: page(CourseSection),
    errors: ['order_mismatch'],
  }),
};
