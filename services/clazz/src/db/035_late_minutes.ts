import { migration } from '@teaching/kit';

/** By how much somebody came late. */
export const lateMinutes = migration(
  '133_late_minutes',
  `alter table mark_revision add column late_minutes integer check (late_minutes > 0)`,
);
