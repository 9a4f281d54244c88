import { concurrentIndex, migration, stepwise } from '@teaching/kit';

/** Whether a make-up was ever booked at a lesson, since a booking that is undone leaves no other record. */
export const bookedLessons = migration(
  '140_booked_lessons',
  'alter table lesson add column booked boolean not null default false',
);

/** Removing a lesson searches for the credits whose ended booking refers to it. */
export const endedBookingsIndex = stepwise(
  '141_ended_bookings_index',
  concurrentIndex('make_up_ended', 'on make_up_credit (org_id, ended_lesson_id) where ended_lesson_id is not null'),
);
