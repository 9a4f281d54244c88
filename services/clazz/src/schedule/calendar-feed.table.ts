import { instant, p, table } from '@teaching/kit';

/** One secret iCalendar address for each person, and for a guardian one for each child; only a hash of it is kept. */
export const CALENDAR_FEED = table('calendar_feed', {
  org_id: p.uuid().primary(),
  /** Whose address it is. */
  user_id: p.text().primary(),
  /** Whose lessons it has: their own, or those of a child. */
  student_id: p.text().primary(),
  secret_hash: p.text(),
  created_at: instant(),
  /** Of what was answered last, and when that was new: for whoever asks by date. */
  stamp: p.text().nullable(),
  changed_at: instant().nullable(),
});

/**
 * SQL interval after a sign-out in which an old token may still be good somewhere: an address that was made before its end is
 * as dead as one from before the sign-out.
 */
export const FEED_PAUSE = "interval '10 s'";
