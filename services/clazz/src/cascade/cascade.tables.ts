import { LEAVE_STATUSES, MARKS, STORED_CREDIT_STATUSES } from '@teaching/contracts';
import { hundredths, instant, p, table } from '@teaching/kit';

/** Leave of one student from one lesson. */
export const LEAVE = table('leave', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  clazz_id: p.uuid(),
  lesson_id: p.uuid(),
  student_id: p.text(),
  status: p.enum(LEAVE_STATUSES),
  /** The status that the leave had when its lesson was cancelled or its student left. It is restored with them. */
  ended_from: p.enum(['pending', 'approved']).nullable(),
  /**
   * The enrolment whose end ended the membership at the lesson. While it is set, an ended leave is not restored. Null
   * again when that enrolment is resumed, or when another one contains the lesson.
   */
  ended_enrolment_id: p.uuid().nullable(),
  in_time: p.boolean(),
  reason: p.text(),
  requested_by: p.text(),
  requested_at: instant(),
  decided_by: p.text().nullable(),
  decided_at: instant().nullable(),
  /** Null again when the decision is reopened. */
  decision_reason: p.text().nullable(),
  cancelled_by: p.text().nullable(),
  cancelled_at: instant().nullable(),
  called_at: instant().nullable(),
  called_by: p.text().nullable(),
  override_reason: p.text().nullable(),
  policy_version: p.integer(),
  version: p.integer(),
});

/** The make-up credit of an approved leave. It is used for at most one lesson at a time. */
export const MAKE_UP_CREDIT = table('make_up_credit', {
  org_id: p.uuid().primary(),
  leave_id: p.uuid().primary(),
  student_id: p.text(),
  status: p.enum(STORED_CREDIT_STATUSES),
  expires_at: instant(),
  /** The booked lesson. */
  lesson_id: p.uuid().nullable(),
  /** The booking that ended last, because that lesson or the leave ended, and when. See `ENDED_BOOKING`. */
  ended_lesson_id: p.uuid().nullable(),
  ended_at: instant().nullable(),
});

/**
 * The bookings of a credit that ended as a consequence, the last one of each lesson. A trigger on `make_up_credit` writes
 * it. A booking is restored together with the lesson, class, membership or mark with which it ended.
 */
export const ENDED_BOOKING = table('ended_booking', {
  org_id: p.uuid().primary(),
  leave_id: p.uuid().primary(),
  lesson_id: p.uuid().primary(),
  ended_at: instant(),
});

/** Revisions of marks. The newest revision is the mark. Rows never change, and the numbers have no gaps. */
export const MARK_REVISION = table('mark_revision', {
  org_id: p.uuid().primary(),
  lesson_id: p.uuid().primary(),
  student_id: p.text().primary(),
  revision: p.integer().primary(),
  previous: p.integer().nullable().hidden().persist(false),
  /** Null: the mark was withdrawn, the lesson was cancelled, or the student is not listed. */
  mark: p.enum(MARKS).nullable(),
  note: p.text().nullable(),
  late_minutes: p.integer().nullable(),
  /** The charge rule and the lesson's hours that the charge was derived from. */
  charge_rule: p.text().nullable(),
  lesson_hours: hundredths(),
  charged_hours: hundredths(),
  policy_version: p.integer(),
  marked_by: p.text(),
  marked_at: instant(),
  reason: p.text().nullable(),
});
