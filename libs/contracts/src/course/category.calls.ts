import { z } from 'zod';
import { call } from '../call.ts';
import { fields } from '../fields.ts';
import { commaSeparated, keywordQuery, page, pageQuery, sortQuery } from '../page.ts';
import { ID, Instant, STAFF, text } from '../scalars.ts';

const BASE = '/api/v1/ws/course-category';

export const CategoryFields = fields({
  name: { input: text(200), output: z.string() },
  parent_id: { input: ID, output: z.string().nullable(), default: null },
});

/** A node of the category tree of an organization. Siblings have different names. */
export const CourseCategory = z.object({
  id: ID,
  org_id: ID,
  ...CategoryFields.output,
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type CourseCategory = z.infer<typeof CourseCategory>;

/** Course categories (rules, part 3). */
export const courseCategoryCalls = {
  createCourseCategory: call({
    id: 'course.category.create',
    http: `POST ${BASE}`,
    summary: 'Create a course category',
    roles: ['SUPERVISOR'],
    writes: true,
    status: 201,
    body: z.strictObject(CategoryFields.create),
    output: CourseCategory,
    errors: ['duplicate'],
  }),
  listCourseCategories: call({
    id: 'course.category.list',
    http: `GET ${BASE}`,
    summary: 'List course categories. `parent_id` selects the children of one category',
    roles: STAFF,
    access: 'all',
    writes: false,
    query: {
      ...keywordQuery,
      parent_id: commaSeparated(ID).optional(),
      ...sortQuery(['name', 'created_at', 'updated_at'], 'name'),
      ...pageQuery,
    },
    output: page(CourseCategory),
  }),
  updateCourseCategory: call({
    id: 'course.category.update',
    http: `PATCH ${BASE}/{id}`,
    summary: 'Rename or move a course category. `parent_id: null` makes it a root',
    roles: ['SUPERVISOR'],
    writes: true,
    path: { id: ID },
    body: z.strictObject(CategoryFields.patch),
    output: CourseCategory,
    errors: ['cycle', 'duplicate', 'version_mismatch'],
  }),
  deleteCourseCategory: call({
    id: 'course.category.remove',
    http: `DELETE ${BASE}/{id}`,
    summary: 'Delete a course category that no record uses',
    roles: ['SUPERVISOR'],
    writes: true,
    status: 204,
    path: { id: ID },
    output: z.null(),
    errors: ['in_use', 'version_mismatch'],
  }),
};
