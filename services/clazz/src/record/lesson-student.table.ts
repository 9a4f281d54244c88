import { bigint, instant, p, table } from '@teaching/kit';

/** Who is expected at a lesson that is not cancelled, with its time: a constraint keeps students from clashing. */
export const LESSON_STUDENT = table('lesson_student', {
  org_id: p.uuid().primary(),
  lesson_id: p.uuid().primary(),
  clazz_id: p.uuid(),
  student_id: p.text().primary(),
  starts_at: instant(),
  ends_at: instant(),
  /** Clashed before exceptions stopped to hold for students: the constraint does not look at it. */
  override: p.boolean(),
  /** On leave from it, so making up at the same time is no clash. */
  excused: p.boolean(),
  /** Listed when the lesson was held, and without a mark. */
  unmarked: p.boolean(),
  /** A hash of org and student, for the constraint. */
  person: bigint().hidden().persist(false),
});
