import { migration } from '@teaching/kit';

/** The minutes by which a student was late. */
export const lateMinutes = migration(
  '133_late_minutes',
  `alter table mark_revision add column late_minutes integer check (late_minutes > 0)`,
);
