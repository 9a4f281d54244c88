import { instant, p, table } from '@teaching/kit';

/** The rule a series was made from. */
export const SERIES = table('series', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  clazz_id: p.uuid(),
  starts_on: p.date(),
  start_time: p.text(),
  duration_minutes: p.integer(),
  zone: p.text(),
  rrule: p.text(),
  until: p.date().nullable(),
  count: p.integer().nullable(),
  created_at: instant(),
});
