import type { calendarCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { requireOwn } from '../record/access.rules.ts';
import { CALENDAR_FEED } from './calendar-feed.table.ts';
import { hashOfSecret } from './feed-secret.rules.ts';

const STORE = statement(
  `insert into calendar_feed (org_id, user_id, student_id, secret_hash, created_at) values ($1, $2, $3, $4, $5)
   on conflict (org_id, user_id, student_id) do update set secret_hash = excluded.secret_hash, created_at = excluded.created_at,
     stamp = null`,
);

/** A new secret address; the one before stops working, since nobody can be shown it again. */
export const createCalendarFeed: Handler<typeof calendarCalls.createCalendarFeed> = async ({ body }, session) => {
  const { org_id, user_id } = session.caller;
  requireOwn(session.reach, body?.student_id);
  const secret = session.makeSecretLink();
  session.run(STORE, org_id, session.actor_id, user_id, hashOfSecret(secret), session.now);
  return { url: `/api/v1/clazz/calendar/${secret}.ics` };
};

export const deleteCalendarFeed: Handler<typeof calendarCalls.deleteCalendarFeed> = async ({ body }, session) => {
  requireOwn(session.reach, body?.student_id);
  session.remove(CALENDAR_FEED, session.actor_id, session.caller.user_id);
  return null;
};
