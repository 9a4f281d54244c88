import { instant, p, table } from '@teaching/kit';

/** The rule of a series. */
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

/**
 * The secret iCalendar feed of each person, and for a guardian one for each linked student. Only a hash of the secret
 * is stored.
 */
export const CALENDAR_FEED = table('calendar_feed', {
  org_id: p.uuid().primary(),
  /** The person who uses the feed. */
  user_id: p.text().primary(),
  /** The student or teacher whose lessons the feed contains: the person, or a student linked to a guardian. */
  student_id: p.text().primary(),
  secret_hash: p.text(),
  created_at: instant(),
  /** The stamp of the last answer and when it was new, for requests by date. */
  stamp: p.text().nullable(),
  changed_at: instant().nullable(),
});

/**
 * The SQL interval after a sign-out in which a gateway may still accept an old token. A feed created in this interval
 * is revoked like an older one.
 */
export const FEED_SIGN_OUT_MARGIN = "interval '10 s'";
