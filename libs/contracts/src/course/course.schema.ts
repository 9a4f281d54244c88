import { z } from 'zod';
import { fields } from '../fields.ts';
import { ID, Instant, PersonId, PersonName, prose, text } from '../scalars.ts';

export const COURSE_STATUSES = ['draft', 'active', 'archived'] as const;
export const CourseStatus = z.enum(COURSE_STATUSES);
export type CourseStatus = z.infer<typeof CourseStatus>;

/** What the owning teacher may set; another `teacher_id` than the caller is for supervisors. */
export const CourseFields = fields({
  title: { input: text(200), output: z.string() },
  description: { input: prose(10_000), output: z.string(), standard: '' },
  category_id: { input: ID, output: z.string().nullable(), standard: null },
  teacher_id: { input: PersonId, output: PersonId, standard: undefined },
  status: { input: CourseStatus, output: CourseStatus, standard: 'draft' },
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

/** A course as it is read: what its ids stand for beside them. */
export const NamedCourse = Course.extend({ teacher_name: PersonName, category_name: z.string().nullable() });

/** Sections of one course; also the bound of `reorder`. */
export const MAX_SECTIONS = 1_000;

export const SectionFields = fields({
  title: { input: text(200), output: z.string() },
  parent_id: { input: ID, output: z.string().nullable(), standard: null },
});

const { parent_id, ...sectionOutput } = SectionFields.output;
/** `position` counts from 0 through all sections of the course; siblings are ordered by it. */
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

/** Courses of one group. */
export const MAX_GROUP_COURSES = 500;

/** A course as it is shown inside a group. */
export const GroupCourse = Course.pick({
  id: true,
  title: true,
  category_id: true,
  teacher_id: true,
  status: true,
}).extend({ teacher_name: PersonName });
export type GroupCourse = z.infer<typeof GroupCourse>;

/** What the owner may set; another `owner_id` than the caller is for supervisors. */
export const GroupFields = fields({
  name: { input: text(200), output: z.string() },
  description: { input: prose(10_000), output: z.string(), standard: '' },
  org_visible: { input: z.boolean(), output: z.boolean(), standard: false },
  owner_id: { input: PersonId, output: PersonId, standard: undefined },
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
  /** In the order they were put; students get the active ones. */
  courses: z.array(GroupCourse),
});
export type CourseGroup = z.infer<typeof CourseGroup>;

/** A group as it is read: what its ids stand for beside them. */
export const NamedGroup = CourseGroup.extend({ owner_name: PersonName });
