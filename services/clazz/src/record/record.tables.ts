import {
  ALL_ROLES,
  CANCELLERS,
  CLAZZ_STATUSES,
  fieldPicker,
  Lesson,
  LESSON_STATUSES,
  MEMBER_STATUSES,
} from '@teaching/contracts';
import { notNull, bigint, hundredths, instant, nameColumns, p, period, type Row, table, texts } from '@teaching/kit';

/** The column `clazz_name` of rows with `org_id` and `clazz_id`. */
export const clazzNameColumn = (alias: string) => ({
  columns: `(select name from clazz where org_id = ${alias}.org_id and id = ${alias}.clazz_id) as clazz_name`,
  shape: { clazz_name: notNull(p.text()) },
});

export const CLAZZ = table('clazz', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  name: p.text(),
  course_id: p.uuid().nullable(),
  course_package_id: p.uuid().nullable(),
  lead_teacher_id: p.text(),
  assistant_ids: p.array(),
  capacity: p.integer().nullable(),
  zone: p.text(),
  starts_on: p.date().nullable(),
  ends_on: p.date().nullable(),
  status: p.enum(CLAZZ_STATUSES),
  completed_at: instant().nullable(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
});

/**
 * The periods in which a student belongs to a class. Becoming active opens a period. A suspension or the end closes it.
 */
export const ENROLMENT_PERIOD = table('enrolment_period', {
  org_id: p.uuid().primary(),
  enrolment_id: p.uuid().primary(),
  clazz_id: p.uuid(),
  student_id: p.text(),
  during: period().primary(),
});

export const LESSON = table('lesson', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  clazz_id: p.uuid(),
  series_id: p.uuid().nullable(),
  teacher_id: p.text(),
  room: p.text().nullable(),
  starts_at: instant(),
  ends_at: instant(),
  zone: p.text(),
  hours: hundredths(),
  topic: p.text().nullable(),
  homework: p.text().nullable(),
  status: p.enum(LESSON_STATUSES),
  cancelled_by: p.enum(CANCELLERS).nullable(),
  cancel_reason: p.text().nullable(),
  /** Whether students see `cancel_reason`. */
  reason_public: p.boolean(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
  /** The lesson was stored in spite of a clash, so the constraints of teachers and rooms ignore it. */
  override: p.boolean(),
  /** The first roll call after the lesson became scheduled last. Null also for lessons of 0.2.0: their first mark counts. */
  held_at: instant().nullable(),
  /** The nominal local start, `YYYY-MM-DDTHH:MM:SS`, where the start does not show it (`nominal-time.rules.ts`). */
  nominal_start: p.text().nullable(),
  /** Of a local time that occurs twice, the lesson has the second. */
  second_occurrence: p.boolean(),
  /** A make-up is or was booked at the lesson. */
  booked: p.boolean(),
});

const TEACHER_NAME = nameColumns('lesson', 'teacher_id');
const OF_CLAZZ = clazzNameColumn('lesson');
/** A lesson as it is read from `lesson`, with names. */
export const SHOWN_LESSON = {
  columns: `${LESSON.contractColumns(Lesson).withAlias('lesson')}, ${OF_CLAZZ.columns}, ${TEACHER_NAME.columns}`,
  shape: { ...LESSON.contractColumns(Lesson).shape, ...OF_CLAZZ.shape, ...TEACHER_NAME.shape },
};

/** A lesson as it is stored. */
export type LessonRow = Row<typeof LESSON>;
/** A lesson as the contract defines it. */
export const WIRE_LESSON = LESSON.contractColumns(Lesson);
/** A stored lesson as the contract defines it, also for events. */
export const toLesson: (lesson: LessonRow) => Lesson = fieldPicker(Lesson);

/** The students expected at a lesson that is not cancelled. A constraint on its time prevents clashes of students. */
export const LESSON_STUDENT = table('lesson_student', {
  org_id: p.uuid().primary(),
  lesson_id: p.uuid().primary(),
  clazz_id: p.uuid(),
  student_id: p.text().primary(),
  starts_at: instant(),
  ends_at: instant(),
  /** Clashed when overrides still applied to students, so the constraint ignores it. */
  override: p.boolean(),
  /** On leave from the lesson, so a make-up at the same time is no clash. */
  excused: p.boolean(),
  /** Listed at the held lesson and without a mark. */
  unmarked: p.boolean(),
  /** A hash of org and student, for the constraint. */
  person: bigint().hidden().persist(false),
});

export const MEMBER = table('member', {
  org_id: p.uuid().primary(),
  user_id: p.text().primary(),
  role: p.enum(ALL_ROLES),
  roles: texts().$type<(typeof ALL_ROLES)[number][]>(),
  display_name: p.text(),
  given_name: p.text().nullable(),
  family_name: p.text().nullable(),
  email: p.text().nullable(),
  phone: p.text().nullable(),
  birthday: p.date().nullable(),
  external_id: p.text().nullable(),
  note: p.text().nullable(),
  status: p.enum(MEMBER_STATUSES),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
  search: p.text().hidden().persist(false),
});
