import { type calendarCalls, notFound } from '@teaching/contracts';
import { notNull, type Handler, orgOfSecretLink, p, Reply, type RowOf, type Session, statement } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { requireOwnStudent } from '../record/access.rules.ts';
import { CLAZZ, LESSON } from '../record/record.tables.ts';
import { etagOf, hashOfSecret, httpDate, isUnchanged, toCalendar } from './feed.rules.ts';
import { isOwnLesson } from './read-lessons.ts';
import { CALENDAR_FEED, FEED_SIGN_OUT_MARGIN } from './schedule.tables.ts';

const STORE = statement(
  `insert into calendar_feed (org_id, user_id, student_id, secret_hash, created_at) values ($1, $2, $3, $4, $5)
   on conflict (org_id, user_id, student_id) do update set secret_hash = excluded.secret_hash, created_at = excluded.created_at,
     stamp = null`,
);

/** Creates a new secret URL. The previous one stops working, because it cannot be shown again. */
export const createCalendarFeed: Handler<typeof calendarCalls.createCalendarFeed> = async ({ body }, session) => {
  const { org_id, user_id } = session.caller;
  requireOwnStudent(session.access, body?.student_id);
  const secret = session.makeSecretLink();
  session.run(STORE, org_id, session.actor_id, user_id, hashOfSecret(secret), session.now);
  return { url: `/api/v1/clazz/calendar/${secret}.ics` };
};

/** SQL: feed `f` was not revoked with the tokens of its person. */
const NOT_REVOKED = `not exists (select from shut_out o where o.org_id = f.org_id and o.user_id = f.user_id
       and (o.inactive or f.created_at <= o.signed_out_at + ${FEED_SIGN_OUT_MARGIN}))`;
const READ_STATE = statement(
  `select created_at from calendar_feed f
   where f.org_id = $1 and f.user_id = $2 and f.student_id = $3 and ${NOT_REVOKED}`,
  CALENDAR_FEED.pick('created_at').shape,
);

export const getCalendarFeedState: Handler<typeof calendarCalls.getCalendarFeedState> = async ({ query }, session) => {
  const { org_id, user_id } = session.caller;
  requireOwnStudent(session.access, query.student_id);
  const feed = await session.queryOne(READ_STATE, org_id, session.actor_id, user_id);
  return { created_at: feed?.created_at ?? null };
};

export const deleteCalendarFeed: Handler<typeof calendarCalls.deleteCalendarFeed> = async ({ body }, session) => {
  requireOwnStudent(session.access, body?.student_id);
  session.remove(CALENDAR_FEED, session.actor_id, session.caller.user_id);
  return null;
};

const PAST_DAYS = 90;
const FUTURE_DAYS = 730;
const MAX_LESSONS = 3_000;
const SHOWN = LESSON.pick(
  'id',
  'clazz_id',
  'room',
  'topic',
  'homework',
  'starts_at',
  'ends_at',
  'status',
  'version',
  'created_at',
  'updated_at',
);
/** SQL: the reason of a cancellation. Teachers of the class or lesson see it; other people only if it is public. */
const reasonFor = (user: string): string => `case when lesson.reason_public or lesson.teacher_id = ${user} or exists (
    select from staff_period s where s.org_id = $1 and s.clazz_id = lesson.clazz_id and s.teacher_id = ${user}
      and s.during @> lesson.starts_at)
  then lesson.cancel_reason end`;
/** SQL: the lessons of a person within a window around `$3`. */
const lessonsOf = (user: string): string => `
   from lesson join clazz on clazz.org_id = lesson.org_id and clazz.id = lesson.clazz_id
   where lesson.org_id = $1 and ${isOwnLesson('$1', user)}
     and starts_at > $3::timestamptz - interval '${PAST_DAYS} days'
     and starts_at < $3::timestamptz + interval '${FUTURE_DAYS} days'
   order by starts_at, lesson.id limit ${MAX_LESSONS}`;
const LESSONS = statement(
  `select ${SHOWN.withAlias('lesson')}, ${reasonFor('$2')} as cancel_reason, clazz.name as clazz_name ${lessonsOf('$2')}`,
  { ...SHOWN.shape, cancel_reason: LESSON.shape.cancel_reason, clazz_name: CLAZZ.shape.name },
);

const FEED = CALENDAR_FEED.pick('user_id', 'student_id', 'stamp', 'changed_at');
const CURRENT = { ...FEED.shape, child_name: p.text().nullable(), now_stamp: notNull(p.text()) };
/**
 * The person of a valid secret, for a guardian the name of the child, the stamp of the last answer and the current
 * stamp. This is enough to detect an unchanged feed.
 */
const FIND = statement(
  `select ${FEED.withAlias('f')}, child.display_name as child_name, s.now_stamp from calendar_feed f
   left join member child on child.org_id = f.org_id and child.user_id = f.student_id and f.user_id <> f.student_id
   cross join lateral (
     select md5(concat(string_agg(concat_ws(' ', id, version, updated_at, status, name, reason), E'\\n' order by starts_at, id),
       child.display_name)) as now_stamp
     from (
       select lesson.id, lesson.version, lesson.updated_at, lesson.status, clazz.name, starts_at,
          ${reasonFor('f.student_id')} as reason ${lessonsOf('f.student_id')}
     ) as l
   ) as s
   where f.org_id = $1 and f.secret_hash = $2 and (f.user_id = f.student_id or exists (
     select from guardian g where g.org_id = f.org_id and g.student_id = f.student_id and g.user_id = f.user_id))
     and ${NOT_REVOKED}`,
  CURRENT,
);
/** HTTP dates have whole seconds, so two states of a feed are at least one second apart. */
const STORE_STAMP = statement(
  `update calendar_feed set stamp = $3, changed_at = greatest(date_trunc('second', $4::timestamptz), changed_at + interval '1 s')
   where org_id = $1 and user_id = $2 and student_id = $5 and stamp is distinct from $3
   returning changed_at`,
  CALENDAR_FEED.pick('changed_at').shape,
);

/** Finds the feed of a secret. From here on the session acts for its person. */
const openFeed = async (session: Session, secret: string): Promise<RowOf<typeof CURRENT>> => {
  const org_id = orgOfSecretLink(secret);
  if (org_id === undefined) throw notFound('Calendar');
  session.actFor(org_id);
  const feed = await session.queryOne(FIND, org_id, hashOfSecret(secret), session.now);
  if (feed === undefined) throw notFound('Calendar');
  session.actFor(org_id, feed.user_id);
  return feed;
};

/** Answers the feed. An unchanged feed costs one statement. A changed one is stored with the time of the change. */
export const getCalendarFeed: Handler<typeof calendarCalls.getCalendarFeed> = async ({ path }, session) => {
  const { user_id, student_id, child_name, stamp, now_stamp, ...feed } = await openFeed(session, path.secret);
  const etag = etagOf(now_stamp);
  const isKnown = stamp === now_stamp;
  const headersFor = (changed_at: string | null): Record<string, string> => ({
    etag,
    'cache-control': 'private, no-cache',
    ...(changed_at === null ? {} : { 'last-modified': httpDate(changed_at) }),
  });
  if (isUnchanged(session, etag, isKnown ? feed.changed_at : null)) {
    return new Reply<string>(null, { status: 304, headers: headersFor(isKnown ? feed.changed_at : null) });
  }
  const [stored, lessons] = await Promise.all([
    isKnown ? feed : session.queryOne(STORE_STAMP, session.org_id, user_id, now_stamp, session.now, student_id),
    session.query(LESSONS, session.org_id, student_id, session.now),
  ]);
  auditRead(
    session,
    'lesson',
    lessons.map((row) => row.clazz_id),
  );
  const headers = headersFor(stored?.changed_at ?? null);
  return new Reply<string>(toCalendar(lessons, child_name), { type: 'text/calendar; charset=utf-8', headers });
};
