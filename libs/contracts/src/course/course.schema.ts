import { z } from 'zod';
import { fields } from '../fields.ts';
import { ID, Instant, PersonId, PersonIdInput, PersonName, prose, text } from '../scalars.ts';

export const COURSE_STATUSES = ['draft', 'active', 'archived'] as const;
export const CourseStatus = z.enum(COURSE_STATUSES);
export type CourseStatus = z.infer<typeof CourseStatus>;

/** The fields of a course that clients set. Only supervisors may set a `teacher_id` other than the caller. */
export const CourseFields = fields({
  title: { input: text(200), output: z.string() },
  description: { input: prose(10_000), output: z.string(), default: '' },
  category_id: { input: ID, output: z.string().nullable(), default: null },
  teacher_id: { input: PersonIdInput, output: PersonId, default: undefined },
  status: { input: CourseStatus, output: CourseStatus, default: 'draft' },
});

export const Course = z.object({
  id: ID,
  org_id: ID,
  ...CourseFields.output,
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type Course = z.infer<typeof Course>;

/** A course in responses, with names. */
export const NamedCourse = Course.extend({ teacher_name: PersonName, category_name: z.string().nullable() });

/** Maximum number of sections of a course. */
export const MAX_SECTIONS = 1_000;

export const SectionFields = fields({
  title: { input: text(200), output: z.string() },
  parent_id: { input: ID, output: z.string().nullable(), default: null },
});

const { parent_id, ...sectionOutput } = SectionFields.output;
/** A section. `position` is the index among all sections of the course, from 0; siblings are ordered by it. */
export const CourseSection = z.object({
  id: ID,
  org_id: ID,
  course_id: ID,
  parent_id,
  ...sectionOutput,
  position: z.int(),
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type CourseSection = z.infer<typeof CourseSection>;

/** Maximum number of courses of a group. */
export const MAX_GROUP_COURSES = 500;

/** A course in a group. */
export const GroupCourse = Course.pick({
  id: true,
  title: true,
  category_id: true,
  teacher_id: true,
  status: true,
}).extend({ teacher_name: PersonName });
export type GroupCourse = z.infer<typeof GroupCourse>;

/** The fields of a group that clients set. Only supervisors may set an `owner_id` other than the caller. */
export const GroupFields = fields({
  name: { input: text(200), output: z.string() },
  description: { input: prose(10_000), output: z.string(), default: '' },
  org_visible: { input: z.boolean(), output: z.boolean(), default: false },
  owner_id: { input: PersonIdInput, output: PersonId, default: undefined },
});

const { org_visible, ...groupOutput } = GroupFields.output;
export const CourseGroup = z.object({
  id: ID,
  org_id: ID,
  ...groupOutput,
  org_visible,
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
  /** In the order of the last PUT. Students get only active courses. */
  courses: z.array(GroupCourse),
});
export type CourseGroup = z.infer<typeof CourseGroup>;

/** A group in responses, with names. */
export const NamedGroup = CourseGroup.extend({ owner_name: PersonName });
