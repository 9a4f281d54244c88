import { hundredths, p, table } from '@teaching/kit';

/**
 * Which lots stand behind a charge now, where its own entry does not say so: a row counts, and no entry of the charge for
 * the same lot. Without lot it is a debt, until a later inflow takes it over; without lesson it is what an adjustment
 * took. Its keys are two partial indexes, one with lesson and one without.
 */
export const HOUR_DRAW = table('hour_draw', {
  org_id: p.uuid(),
  student_id: p.text(),
  id: p.uuid(),
  /** The entry that took the hours; debts are settled in this order. */
  seq: p.integer(),
  lesson_id: p.uuid().nullable(),
  mark_revision: p.integer().nullable(),
  course_id: p.uuid().nullable(),
  lot_id: p.uuid().nullable(),
  amount: hundredths(),
});
