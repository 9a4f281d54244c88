import { instant, p, table } from '@teaching/kit';

/** The first marking of each submission: a regrade is no further piece of work. */
export const MARKING = table('marking', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  submission_id: p.uuid().primary(),
  marker_id: p.text(),
  student_id: p.text(),
  submitted_at: instant(),
  marked_at: instant(),
  revision: p.integer(),
  clazz_id: p.uuid().nullable(),
});
