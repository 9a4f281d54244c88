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
  PersonName,
  text,
  Zone,
} from '../scalars.ts';

export const CLAZZ_STATUSES = ['draft', 'active', 'completed', 'cancelled'] as const;
export const ENROLMENT_STATUSES = ['waiting', 'active', 'suspended', 'withdrawn', 'transferred', 'completed'] as const;
export const LESSON_STATUSES = ['scheduled', 'held', 'cancelled'] as const;
/** Who cancelled a lesson, as far as charges are concerned. */
export const CANCELLERS = ['teacher', 'org'] as const;
/** What a teacher is to a class. */
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

/** What may be set on a class; the rest is set by the server. */
export const ClazzFields = fields({
  name: { input: text(200), output: z.string() },
  course_id: { input: ID, output: z.string().nullable(), standard: null, filter: 'Course of the class' },
  course_package_id: { input: ID, output: z.string().nullable(), standard: null },
  lead_teacher_id: { input: PersonId, output: PersonId, filter: 'Their lead teacher' },
  capacity: { input: z.int().min(0).max(100_000), output: z.int().nullable(), standard: null },
  zone: { input: Zone, output: z.string(), standard: 'UTC' },
  starts_on: { input: LocalDateInput, output: z.string().nullable(), standard: null },
  ends_on: { input: LocalDateInput, output: z.string().nullable(), standard: null },
});

const { name, course_id, course_package_id, lead_teacher_id, ...clazzOutput } = ClazzFields.output;
/** A class. Rules, part 4. */
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

/** A class as it is answered. */
export const ShownClazz = Clazz.extend({
  lead_teacher_name: PersonName,
  assistant_names: z.array(PersonName).meta({ description: 'In the order of `assistant_ids`' }),
});
export type ShownClazz = z.infer<typeof ShownClazz>;

/** A text that may be missing, and is from all that was told before there was such a field. */
const optionalText = (description: string) => z.string().nullable().default(null).meta({ description });

/** What may be set on a lesson. Zone and teacher are those of the class unless said otherwise. */
export const LessonFields = fields({
  starts_at: { input: InstantInput, output: Instant },
  ends_at: { input: InstantInput, output: Instant },
  zone: { input: Zone, output: z.string(), standard: undefined },
  /** What one lesson may be worth: rules, part 10. */
  hours: { input: decimalInput(0, 24), output: Decimal, standard: '1.00' },
  teacher_id: {
    input: PersonId,
    output: PersonId,
    standard: undefined,
    filter: 'Who gives the lesson, also as a substitute',
  },
  room: { input: text(100), output: z.string().nullable(), standard: null, filter: 'Room of the lesson' },
  topic: { input: text(200), output: optionalText('What the lesson is about; `null` if not set'), standard: null },
  homework: {
    input: text(4_000),
    output: optionalText('What students do before the next lesson; `null` if nothing'),
    standard: null,
  },
});
export type LessonInput = z.output<z.ZodObject<typeof LessonFields.create>>;
export type LessonPatch = z.output<z.ZodObject<typeof LessonFields.patch>>;

const { teacher_id, room, ...lessonOutput } = LessonFields.output;
/** One lesson of a class. Rules, part 5. */
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
  /** Why it was cancelled; `null` to students unless `reason_public`. */
  cancel_reason: z.string().nullable(),
  reason_public: z.boolean().default(false),
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type Lesson = z.infer<typeof Lesson>;
/** A lesson as it is read: with names. */
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
/** An enrolment as it is answered: with names. */
export const ShownEnrolment = Enrolment.extend({ clazz_name: z.string(), student_name: PersonName });
export type ShownEnrolment = z.output<typeof ShownEnrolment>;

/** A lesson that stands in the way, and by whom or what: fields that do not clash are null or empty. */
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
  student_names: z.array(PersonName).meta({ description: 'In the order of `student_ids`' }),
});
export type Conflict = z.infer<typeof Conflict>;
