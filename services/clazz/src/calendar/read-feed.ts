import { type calendarCalls, notFound } from '@teaching/contracts';
import { type Handler, Reply, type Session, statement } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { etagOf, type FeedLesson, isUnchanged, toCalendar } from './calendar.rules.ts';
import { hashOfSecret, orgOf } from './secret.rules.ts';

const OWNER = statement<{ user_id: string }>(
  'select user_id from calendar_feed where org_id = $1 and secret_hash = $2',
);
const PAST_DAYS = 90;
const FUTURE_DAYS = 730;
const MAX_LESSONS = 3_000;
/** Taught, assisted or attended, within a window around today. */
const LESSONS = statement<FeedLesson & { clazz_id: string }>(
  `select l.id, l.clazz_id, l.starts_at, l.ends_at, l.room, l.status, l.version, l.created_at, l.updated_at,
     l.cancel_reason, c.name as clazz_name
   from lesson l join clazz c on c.org_id = l.org_id and c.id = l.clazz_id
   where l.org_id = $1
     and l.starts_at > $3::timestamptz - interval '${PAST_DAYS} days'
     and l.starts_at < $3::timestamptz + interval '${FUTURE_DAYS} days'
     and (l.teacher_id = $2
       or l.clazz_id in (select s.clazz_id from staff_period s where s.org_id = $1 and s.teacher_id = $2
            and s.role = 'assistant' and s.during @> l.starts_at)
       or l.clazz_id in (select p.clazz_id from enrolment_period p where p.org_id = $1 and p.student_id = $2
            and p.during @> l.starts_at))
   order by l.starts_at, l.id limit ${MAX_LESSONS}`,
);

/** The person a secret belongs to; the session speaks for them from here on. */
const enter = async (session: Session, secret: string): Promise<string> => {
  const org_id = orgOf(secret);
  if (org_id === undefined) throw notFound('Calendar');
  session.actFor(org_id);
  const owner = await session.one(OWNER, org_id, hashOfSecret(secret));
  if (owner === undefined) throw notFound('Calendar');
  session.actFor(org_id, owner.user_id);
  return owner.user_id;
};

export const readFeed: Handler<typeof calendarCalls.readFeed> = async ({ path }, session) => {
  const user_id = await enter(session, path.secret);
  const lessons = await session.query(LESSONS, session.org_id, user_id, session.now);
  const text = toCalendar(lessons);
  const etag = etagOf(text);
  const headers = { etag, 'cache-control': 'private, no-cache' };
  if (isUnchanged(session.if_none_match, etag)) return new Reply<string>(null, { status: 304, headers });
  auditRead(
    session,
    'lesson',
    lessons.map((row) => row.clazz_id),
  );
  return new Reply<string>(text, { type: 'text/calendar; charset=utf-8', headers });
};
