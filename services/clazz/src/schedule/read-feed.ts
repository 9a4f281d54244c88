import { type calendarCalls, notFound } from '@teaching/contracts';
import { type Handler, Reply, type Session, statement } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { CLAZZ } from '../record/clazz.table.ts';
import { LESSON } from '../record/lesson.table.ts';
import { CALENDAR_FEED } from './calendar-feed.table.ts';
import { hashOfSecret, orgOf } from './feed-secret.rules.ts';
import { etagOf, isUnchanged, toCalendar } from './feed.rules.ts';
import { OWN_LESSONS } from './own-lessons.ts';

const OWNED = CALENDAR_FEED.some('user_id');
const OWNER = statement(
  `select ${OWNED.columns} from calendar_feed where org_id = $1 and secret_hash = $2`,
  OWNED.shape,
);
const PAST_DAYS = 90;
const FUTURE_DAYS = 730;
const MAX_LESSONS = 3_000;
const SHOWN = LESSON.some(
  'id',
  'clazz_id',
  'room',
  'starts_at',
  'ends_at',
  'status',
  'version',
  'created_at',
  'updated_at',
);
/** Those who teach the class or the lesson see why it was cancelled; others, where that was made public. */
const REASON = `case when lesson.reason_public or lesson.teacher_id = $2 or exists (select from staff_period s
    where s.org_id = $1 and s.clazz_id = lesson.clazz_id and s.teacher_id = $2 and s.during @> lesson.starts_at)
  then lesson.cancel_reason end`;
/** Own lessons within a window around today. */
const LESSONS = statement(
  `select ${SHOWN.of('lesson')}, ${REASON} as cancel_reason, clazz.name as clazz_name
   from lesson join clazz on clazz.org_id = lesson.org_id and clazz.id = lesson.clazz_id
   where lesson.org_id = $1 and ${OWN_LESSONS('$1', '$2')}
     and starts_at > $3::timestamptz - interval '${PAST_DAYS} days'
     and starts_at < $3::timestamptz + interval '${FUTURE_DAYS} days'
   order by starts_at, lesson.id limit ${MAX_LESSONS}`,
  { ...SHOWN.shape, cancel_reason: LESSON.shape.cancel_reason, clazz_name: CLAZZ.shape.name },
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
