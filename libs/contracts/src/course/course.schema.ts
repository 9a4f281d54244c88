import { z } from 'zod';
import { ID, Instant, optional, PersonId, prose, text } from '../scalars.ts';

export const COURSE_STATUSES = ['draft', 'active', 'archived'] as const;
export const CourseStatus = z.enum(COURSE_STATUSES);
export type CourseStatus = z.infer<typeof CourseStatus>;

/** What the owning teacher may set; `teacher_id` is for supervisors. */
export const CourseFields = {
  title: text(200),
  description: optional(prose(10_000)),
  category_id: optional(ID),
  teacher_id: optional(PersonId),
  status: optional(CourseStatus),
};

export const Course = z.object({
  id: ID,
  org_id: ID,
  title: z.string(),
  description: z.string(),
  category_id: z.string().nullable(),
  teacher_id: PersonId,
  status: CourseStatus,
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type Course = z.infer<typeof Course>;

/** Sections of one course; also the bound of `reorder`. */
export const MAX_SECTIONS = 1_000;

/** `position` counts from 0 through all sections of the course; siblings are ordered by it. */
export const CourseSection = z.object({
  id: ID,
  org_id: ID,
  course_id: ID,
  parent_id: z.string().nullable(),
  title: z.string(),
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
});

export const CourseGroup = z.object({
  id: ID,
  org_id: ID,
  name: z.string(),
  description: z.string(),
  owner_id: PersonId,
  org_visible: z.boolean(),
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
  /** In the order they were put; students get the active ones. */
  courses: z.array(GroupCourse),
});
export type CourseGroup = z.infer<typeof CourseGroup>;
