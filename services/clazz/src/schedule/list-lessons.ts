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
import { toVisibleLesson } from '../record/access.rules.ts';
import { FREE_SEATS, LESSON_CAPACITY, LISTED_ROOM } from '../record/occupancy.ts';
import { WIRE_LESSON } from '../record/record.tables.ts';
import { isAttendedBy, attendedByParams } from './read-lessons.ts';

/** SQL: the last mark of each student at a lesson `l`. */
const LAST_MARKS = `(select distinct on (k.student_id) k.student_id, k.mark from mark_revision k
  where k.org_id = l.org_id and k.lesson_id = l.id order by k.student_id, k.revision desc)`;

/** SQL: the students without a mark at a held lesson. */
const UNMARKED = `select from lesson_student s where s.org_id = l.org_id and s.lesson_id = l.id and s.unmarked`;

/**
 * SQL: the state of the roll call of a lesson `l` of class `c` at `clock.now`. Null if none is due. A closed class
 * needs no roll call, as in the list of missing ones.
 */
const ROLL_CALL_STATE = `(case
  when l.status = 'held' and not exists (${UNMARKED}) then 'done'
  when c.status not in ('draft', 'active') then null
  when l.status = 'held' and exists (select from ${LAST_MARKS} m where m.mark is not null) then 'incomplete'
  when l.status <> 'cancelled' and l.ends_at <= clock.now then 'missing' end)`;

/**
 * SQL condition: preselects lessons whose roll call may not be done: begun and still scheduled, or with an unmarked
 * student.
 */
const NOT_DONE = `l.id = any(array(
  select w.id from lesson w where w.org_id = ? and w.status = 'scheduled' and w.hours >= 0 and w.starts_at < clock.now
  union all
  select s.lesson_id from lesson_student s where s.org_id = ? and s.unmarked))`;

/**
 * SQL: the number of students by mark, and without a mark. For a student only the own mark is counted
 * (`viewer.student_id`).
 */
const MARK_COUNTS = {
  text: `(select jsonb_build_object(${MARKS.map((mark) => `'${mark}', count(*) filter (where m.mark = '${mark}')`).join(', ')},
     'unmarked', (select count(*) from lesson_student s where s.org_id = l.org_id and s.lesson_id = l.id
       and (s.unmarked or l.status = 'scheduled') and s.student_id = coalesce(viewer.student_id, s.student_id)))
   from ${LAST_MARKS} m where m.student_id = coalesce(viewer.student_id, m.student_id))`,
  shape: notNull(p.json<MarkCounts>()),
};

const BELONGS = `from enrolment_period p where p.org_id = l.org_id and p.clazz_id = l.clazz_id and p.during @> l.starts_at`;
const ENROLLED = `(select count(*)::int ${BELONGS})`;
const GUESTS = `(select count(*)::int from make_up_credit g where g.org_id = l.org_id and g.lesson_id = l.id
  and not exists (select ${BELONGS} and p.student_id = g.student_id))`;

const NAMES = nameColumns('l', 'teacher_id');

/** The figures are counted for the lessons of the page only, by the same statement. */
const list = pagedList({
  columns: `${WIRE_LESSON.withAlias('l')}, c.name as clazz_name, ${NAMES.columns}, ${ENROLLED} as enrolled, ${GUESTS} as guests,
    ${LESSON_CAPACITY} as capacity, ${FREE_SEATS} as free, ${MARK_COUNTS.text} as marks`,
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
  // `offset 0` makes Postgres look up the class of each lesson by its key, independent of its size estimates.
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
    student_id: isAttendedBy('l'),
    status: equalsAnyOf('l.status'),
    roll_call: equalsAnyOf(ROLL_CALL_STATE),
    not_done: NOT_DONE,
    min_free: `(${LESSON_CAPACITY} is null or ${FREE_SEATS} >= ?)`,
    // The start bounds the search, because no lesson is longer than a day.
    from: `l.ends_at > ? and l.starts_at > ?::timestamptz - interval '24 hours'`,
    to: 'l.starts_at < ?',
  },
  joins: {
    clock: REQUEST_CLOCK,
    // The student whose marks are counted. Null: all students.
    viewer: 'cross join (select ?::text as student_id) as viewer',
  },
});

/** Lessons of all classes by start. Students see the lessons that they attend, with their own marks. */
export const listLessons: Handler<typeof lessonCalls.listLessons> = async ({ query }, session) => {
  const { org_id, caller, now } = session;
  const students = session.access.requestedPeople(query.student_id);
  const where = {
    ...query,
    student_id: students && attendedByParams(org_id, students),
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
  return { ...found, items: found.items.map(toVisibleLesson(caller)) };
};
