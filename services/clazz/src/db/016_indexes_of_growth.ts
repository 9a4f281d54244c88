import { migration } from '@teaching/kit';

/** Indexes that make the cost of a query for one lesson, class or sort independent of the size of the organization. */
export const indexesOfGrowth = migration(
  '111_indexes_of_growth',
  `
  -- Roll call asks for all leave of its lesson, in whatever state.
  create index leave_lesson on leave (org_id, lesson_id, student_id);
  drop index leave_ended;
  drop index leave_requested;
  create index leave_requested on leave (org_id, requested_at, id);
  create index leave_status on leave (org_id, status, requested_at, id);
  -- A class's students, also those who left.
  create index enrolment_clazz on enrolment (org_id, clazz_id, seq);
  -- What expires, an organization at a time.
  drop index hour_lot_due;
  create index hour_lot_due on hour_lot (org_id, expires_at) where open and expires_at is not null;
  -- Lessons that wait for their roll call, or could make up for another. The condition on hours, true of every row, keeps it out of the sight of
  -- statements that do not state it: the planner would otherwise read an org's lessons by time where it should go by class.
  create index lesson_scheduled on lesson (org_id, starts_at, id) where status = 'scheduled' and hours >= 0;
  -- Each sort of the list of classes.
  create index clazz_name on clazz (org_id, name, id);
  create index clazz_starts on clazz (org_id, (case when starts_on is null then '-infinity' else starts_on end), id);
  create index clazz_updated on clazz (org_id, updated_at, id);
`,
);
