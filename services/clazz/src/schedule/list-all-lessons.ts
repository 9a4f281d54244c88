import { type lessonCalls, LessonFields, type MarkCounts, MARKS } from '@teaching/contracts';
import {
  notNull,
  equalsAnyOf,
  REQUEST_CLOCK,
  fieldFilters,
  type Handler,
  nameColumns,
  p,
  pagedList,
} from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { isSeenBy } from '../record/access.rules.ts';
import { LESSON_CAPACITY, LISTED_ROOM, PLACES } from '../record/occupancy.ts';
import { WIRE_LESSON } from '../record/record.tables.ts';
import { ATTENDED, attendedBy } from './read-lessons.ts';

/** The marks at a lesson `l` that count: of each student the last. */
const LAST_MARKS = `(select distinct on (k.student_id) k.student_id, k.mark from mark_revision k
  where k.org_id = l.org_id and k.lesson_id = l.id order by k.student_id, k.revision desc)`;

/** The students expected at a lesson that was held, without a mark. */
const UNMARKED = `select from lesson_student s where s.org_id = l.org_id and s.lesson_id = l.id and s.unmarked`;

/**
 * Where the roll call of a lesson `l` of a class `c` stands at `clock.now`; null where none is due. A class that is over
 * takes none any more, as in the list of missing ones.
 */
const ROLL_CALL_STATE = `(case
  when l.status = 'held' and not exists (${UNMARKED}) then 'done'
  when c.status not in ('draft', 'active') then null
  when l.status = 'held' and exists (select from ${LAST_MARKS} m where m.mark is not null) then 'incomplete'
  when l.status <> 'cancelled' and l.ends_at <= clock.now then 'missing' end)`;

/** Lessons whose roll call is not done are among these: begun and still scheduled, or with an unmarked student. */
const NOT_DONE = `l.id = any(array(
  select w.id from lesson w where w.org_id = ? and w.status = 'scheduled' and w.hours >= 0 and w.starts_at < clock.now
  union all
  select s.lesson_id from lesson_student s where s.org_id = ? and s.unmarked))`;

/** How many have each mark, or none yet; for a student, their own, as `viewer.student_id` says. */
const MARK_COUNTS = {
  text: `(select jsonb_build_object(${MARKS.map((mark) => `'${mark}', count(*) filter (where m.mark = '${mark}')`).join(', ')},
     'unmarked', (select count(*) from lesson_student s where s.org_id = l.org_id and s.lesson_id = l.id
       and (s.unmarked or l.status = 'scheduled') and s.student_id = coalesce(viewer.student_id, s.student_id)))
   from ${LAST_MARKS} m where m.student_id = coalesce(viewer.student_id, m.student_id))`,
  shape: notNull(p.json<MarkCounts>()),
};

/** Null without limit; never below none, also where a room holds fewer by now. */
const FREE = `case when ${LESSON_CAPACITY} is not null
  then greatest(${LESSON_CAPACITY} - (select count(*)::int from ${PLACES} as s), 0) end`;
const BELONGS = `from enrolment_period p where p.org_id = l.org_id and p.clazz_id = l.clazz_id and p.during @> l.starts_at`;
const ENROLLED = `(select count(*)::int ${BELONGS})`;
const GUESTS = `(select count(*)::int from make_up_credit g where g.org_id = l.org_id and g.lesson_id = l.id
  and not exists (select ${BELONGS} and p.student_id = g.student_id))`;

const NAMES = nameColumns('l', 'teacher_id');

/** What a page shows is counted for its lessons only, as part of the one statement. */
const list = pagedList({
  columns: `${WIRE_LESSON.withAlias('l')}, c.name as clazz_name, ${NAMES.columns}, ${ENROLLED} as enrolled, ${GUESTS} as guests,
    ${LESSON_CAPACITY} as capacity, ${FREE} as free, ${MARK_COUNTS.text} as marks`,
  shape: {
    ...WIRE_LESSON.shape,
    clazz_name: notNull(p.text()),
    ...NAMES.shape,
    enrolled: notNull(p.integer()),
    guests: notNull(p.integer()),
    capacity: p.integer().nullable(),
    free: p.integer().nullable(),
    marks: MARK_COUNTS.shape,
  },
  // Each lesson's class is looked up by its key, however many are expected.
  from: `lesson l
    join lateral (select name, capacity, status from clazz where org_id = l.org_id and id = l.clazz_id offset 0) c
      on l.hours >= 0
    ${LISTED_ROOM}`,
  org: 'l.org_id',
  id: { by: 'l.id', type: 'uuid' },
  sorts: { starts_at: { by: 'l.starts_at', type: 'timestamptz' } },
  where: {
    clazz_id: equalsAnyOf('l.clazz_id'),
    ...fieldFilters(LessonFields.filters, 'l'),
    student_id: ATTENDED,
    status: equalsAnyOf('l.status'),
    roll_call: equalsAnyOf(ROLL_CALL_STATE),
    not_done: NOT_DONE,
    min_free: `(${LESSON_CAPACITY} is null or ${FREE} >= ?)`,
    // No lesson is longer than a day, so the start bounds what is looked at.
    from: `l.ends_at > ? and l.starts_at > ?::timestamptz - interval '24 hours'`,
    to: 'l.starts_at < ?',
  },
  joins: {
    clock: REQUEST_CLOCK,
    // The student whose marks are counted; null: all.
    viewer: 'cross join (select ?::text as student_id) as viewer',
  },
});

/** Lessons of all classes by start; students see those they attend, with their own marks. */
export const listLessons: Handler<typeof lessonCalls.listLessons> = async ({ query }, session) => {
  const { org_id, caller, now } = session;
  const students = session.access.requestedPeople(query.student_id);
  const where = {
    ...query,
    student_id: students && attendedBy(org_id, students),
    not_done: query.roll_call === undefined || query.roll_call.includes('done') ? undefined : [org_id, org_id],
    from: query.from && [query.from, query.from],
  };
  const viewer = session.access.isLimitedTo('self') ? caller.user_id : null;
  const found = await list(session, query, where, { clock: now, viewer });
  auditRead(
    session,
    'lesson',
    found.items.map((row) => row.clazz_id),
  );
  return { ...found, items: found.items.map(isSeenBy(caller)) };
};
