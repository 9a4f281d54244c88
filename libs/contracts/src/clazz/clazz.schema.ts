import { z } from 'zod';
import { fields } from '../fields.ts';
import {
  Decimal,
  decimalInput,
  ID,
  Instant,
  InstantInput,
  LocalDateInput,
  PersonId,
  PersonIdInput,
  PersonName,
  text,
  Zone,
} from '../scalars.ts';

export const CLAZZ_STATUSES = ['draft', 'active', 'completed', 'cancelled'] as const;
export const ENROLMENT_STATUSES = ['waiting', 'active', 'suspended', 'withdrawn', 'transferred', 'completed'] as const;
export const LESSON_STATUSES = ['scheduled', 'held', 'cancelled'] as const;
/** The side that cancelled a lesson. It determines the charge. */
export const CANCELLERS = ['teacher', 'org'] as const;
/** The roles of teachers in a class. */
export const TEACHING_ROLES = ['lead', 'assistant'] as const;
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

/** The fields of a class that clients set. */
export const ClazzFields = fields({
  name: { input: text(200), output: z.string() },
  course_id: { input: ID, output: z.string().nullable(), default: null, filter: 'Classes of these courses' },
  course_package_id: { input: ID, output: z.string().nullable(), default: null },
  lead_teacher_id: { input: PersonIdInput, output: PersonId, filter: 'Classes with these lead teachers' },
  capacity: { input: z.int().min(0).max(100_000), output: z.int().nullable(), default: null },
  zone: { input: Zone, output: z.string(), default: 'UTC' },
  starts_on: { input: LocalDateInput, output: z.string().nullable(), default: null },
  ends_on: { input: LocalDateInput, output: z.string().nullable(), default: null },
});

const { name, course_id, course_package_id, lead_teacher_id, ...clazzOutput } = ClazzFields.output;
/** A class (rules, part 4). */
export const Clazz = z.object({
  id: ID,
  org_id: ID,
  name,
  course_id,
  course_package_id,
  lead_teacher_id,
  assistant_ids: z.array(PersonId),
  ...clazzOutput,
  status: z.enum(CLAZZ_STATUSES),
  completed_at: Instant.nullable(),
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type Clazz = z.infer<typeof Clazz>;

/** A class in responses, with names. */
export const ShownClazz = Clazz.extend({
  lead_teacher_name: PersonName,
  assistant_names: z.array(PersonName).meta({ description: 'Display names, in the order of `assistant_ids`' }),
});
export type ShownClazz = z.infer<typeof ShownClazz>;

/** A text that may be absent, for example in events older than the field. */
const optionalText = (description: string) => z.string().nullable().default(null).meta({ description });

/** The fields of a lesson that clients set. Zone and teacher default to those of the class. */
export const LessonFields = fields({
  starts_at: { input: InstantInput, output: Instant },
  ends_at: { input: InstantInput, output: Instant },
  zone: { input: Zone, output: z.string(), default: undefined },
  /** Limits of the hours of a lesson: rules, part 10. */
  hours: { input: decimalInput(0, 24), output: Decimal, default: '1.00' },
  teacher_id: {
    input: PersonIdInput,
    output: PersonId,
    default: undefined,
    filter: 'Lessons that these teachers give, also as substitutes',
  },
  room: { input: text(100), output: z.string().nullable(), default: null, filter: 'Lessons in these rooms' },
  topic: {
    input: text(200),
    output: optionalText('Topic of the lesson, up to 200 characters; `null` if not set'),
    default: null,
  },
  homework: {
    input: text(4_000),
    output: optionalText('Homework for the next lesson, up to 4,000 characters; `null` if not set'),
    default: null,
  },
});
export type LessonInput = z.output<z.ZodObject<typeof LessonFields.create>>;
export type LessonPatch = z.output<z.ZodObject<typeof LessonFields.patch>>;

const { teacher_id, room, ...lessonOutput } = LessonFields.output;
/** A lesson of a class (rules, part 5). */
export const Lesson = z.object({
  id: ID,
  org_id: ID,
  clazz_id: ID,
  series_id: z.string().nullable(),
  teacher_id,
  room,
  ...lessonOutput,
  status: z.enum(LESSON_STATUSES),
  cancelled_by: z.enum(CANCELLERS).nullable(),
  /** Reason of the cancellation; `null` for students unless `reason_public` is true. */
  cancel_reason: z.string().nullable(),
  reason_public: z.boolean().default(false),
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type Lesson = z.infer<typeof Lesson>;
/** A lesson in responses, with names. */
export const ShownLesson = Lesson.extend({ clazz_name: z.string(), teacher_name: PersonName });
export type ShownLesson = z.output<typeof ShownLesson>;

export const Enrolment = z.object({
  id: ID,
  clazz_id: ID,
  student_id: PersonId,
  status: z.enum(ENROLMENT_STATUSES),
  since: Instant,
  until: Instant.nullable(),
});
export type Enrolment = z.infer<typeof Enrolment>;
/** An enrolment in responses, with names. */
export const ShownEnrolment = Enrolment.extend({ clazz_name: z.string(), student_name: PersonName });
export type ShownEnrolment = z.output<typeof ShownEnrolment>;

/** A lesson that clashes with another one. Fields that do not clash are null or empty. */
export const Conflict = z.object({
  lesson_id: ID,
  clazz_id: ID,
  clazz_name: z.string(),
  starts_at: Instant,
  ends_at: Instant,
  teacher_id: z.string().nullable(),
  teacher_name: PersonName,
  room: z.string().nullable(),
  student_ids: z.array(PersonId),
  student_names: z.array(PersonName).meta({ description: 'Display names, in the order of `student_ids`' }),
});
export type Conflict = z.infer<typeof Conflict>;
