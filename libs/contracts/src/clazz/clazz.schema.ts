import { z } from 'zod';
import { Decimal, ID, Instant, PersonId } from '../scalars.ts';

export const CLAZZ_STATUSES = ['draft', 'active', 'completed', 'cancelled'] as const;
export const ENROLMENT_STATUSES = ['waiting', 'active', 'suspended', 'withdrawn', 'transferred', 'completed'] as const;
export const LESSON_STATUSES = ['scheduled', 'held', 'cancelled'] as const;
export const MARKS = ['present', 'late', 'absent', 'leave', 'makeup', 'trial'] as const;
export const LEAVE_STATUSES = ['pending', 'approved', 'rejected', 'cancelled'] as const;
export const ENTRY_KINDS = [
  'grant',
  'consume',
  'reverse',
  'expire',
  'refund',
  'transfer_out',
  'transfer_in',
  'adjust',
  'settle',
] as const;

export const Mark = z.enum(MARKS);
export type Mark = z.infer<typeof Mark>;

/** A class. Rules, part 4. */
export const Clazz = z.object({
  id: ID,
  org_id: ID,
  name: z.string(),
  course_id: z.string().nullable(),
  course_package_id: z.string().nullable(),
  lead_teacher_id: PersonId,
  assistant_ids: z.array(PersonId),
  capacity: z.int().nullable(),
  zone: z.string(),
  starts_on: z.string().nullable(),
  ends_on: z.string().nullable(),
  status: z.enum(CLAZZ_STATUSES),
  completed_at: Instant.nullable(),
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type Clazz = z.infer<typeof Clazz>;

/** One lesson of a class. Rules, part 5. */
export const Lesson = z.object({
  id: ID,
  org_id: ID,
  clazz_id: ID,
  series_id: z.string().nullable(),
  teacher_id: PersonId,
  room: z.string().nullable(),
  starts_at: Instant,
  ends_at: Instant,
  zone: z.string(),
  hours: Decimal,
  status: z.enum(LESSON_STATUSES),
  cancelled_by: z.enum(['teacher', 'org']).nullable(),
  cancel_reason: z.string().nullable(),
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type Lesson = z.infer<typeof Lesson>;

export const Enrolment = z.object({
  id: ID,
  clazz_id: ID,
  student_id: PersonId,
  status: z.enum(ENROLMENT_STATUSES),
  since: Instant,
  until: Instant.nullable(),
});
export type Enrolment = z.infer<typeof Enrolment>;

/** A lesson that stands in the way, and by whom or what: fields that do not clash are null or empty. */
export const Conflict = z.object({
  lesson_id: ID,
  clazz_id: ID,
  starts_at: Instant,
  ends_at: Instant,
  teacher_id: z.string().nullable(),
  room: z.string().nullable(),
  student_ids: z.array(PersonId),
});
export type Conflict = z.infer<typeof Conflict>;
