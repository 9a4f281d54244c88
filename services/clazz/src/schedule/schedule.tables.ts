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

export const HOLIDAY = table('holiday', {
  org_id: p.uuid().primary(),
  date: p.date().primary(),
  name: p.text(),
});

/** One secret iCalendar address for each person, and for a guardian one for each child; only a hash of it is kept. */
export const CALENDAR_FEED = table('calendar_feed', {
  org_id: p.uuid().primary(),
  /** The person who has the address. */
  user_id: p.text().primary(),
  /** The student or teacher whose lessons it has: the person, or a child. */
  student_id: p.text().primary(),
  secret_hash: p.text(),
  created_at: instant(),
  /** Of what was answered last, and when that was new, for requests by date. */
  stamp: p.text().nullable(),
  changed_at: instant().nullable(),
});

/**
 * SQL interval after a sign-out in which an old token may still be good somewhere: an address that was made before its end is
 * as dead as one from before the sign-out.
 */
export const FEED_PAUSE = "interval '10 s'";
