import type { Leave, Policy } from '@teaching/contracts';
import { notNull, nullableColumns, p, type RowOf, type Session, statement } from '@teaching/kit';
import { amountsToHundredths } from '../hours/amounts.rules.ts';
import { policyInForce } from '../policy/policy.ts';
import { isMarkedSql, type SeatKey } from '../record/expected-students.ts';
import { CLAZZ, WIRE_LESSON as LESSON } from '../record/record.tables.ts';
import type { ClazzFacts, LeaveState, LessonState, Seat } from './cascade.rules.ts';
import { LEAVE, MAKE_UP_CREDIT, MARK_REVISION } from './cascade.tables.ts';

const STORED_LEAVE = LEAVE.omit('org_id');
const { status, expires_at, lesson_id, ended_lesson_id, ended_at } = MAKE_UP_CREDIT.shape;
const CREDIT = {
  credit_status: status,
  credit_expires_at: expires_at,
  credit_lesson_id: lesson_id,
  credit_ended_lesson_id: ended_lesson_id,
  credit_ended_at: ended_at,
};
const IS_MARKED = { credit_is_marked: notNull(p.boolean()) };

const columns = `${STORED_LEAVE.withAlias('v')},
  c.status as credit_status, c.expires_at as credit_expires_at, c.lesson_id as credit_lesson_id,
  c.ended_lesson_id as credit_ended_lesson_id, c.ended_at as credit_ended_at,
  c.lesson_id is not null and coalesce(${isMarkedSql('c.lesson_id', 'v.student_id')}, false) as credit_is_marked`;

/** A leave `v` with its make-up credit `c`, of the org `$1`. */
export const LEAVE_WITH_CREDIT = { columns, shape: { ...STORED_LEAVE.shape, ...CREDIT, ...IS_MARKED } };
/** The same with `c` from an outer join, because not every leave has a credit. */
export const LEAVE_WITH_OPTIONAL_CREDIT = {
  columns,
  shape: { ...STORED_LEAVE.shape, ...nullableColumns(CREDIT), ...IS_MARKED },
};
type LeaveRow = RowOf<(typeof LEAVE_WITH_OPTIONAL_CREDIT)['shape']>;

export const toLeaveState = (row: LeaveRow): LeaveState => {
  const {
    credit_status,
    credit_expires_at,
    credit_lesson_id: lesson_id,
    credit_ended_lesson_id: ended_lesson_id,
    credit_ended_at: ended_at,
    credit_is_marked: is_marked,
    ...leave
  } = row;
  if (credit_status === null || credit_expires_at === null) return { ...leave, credit: null };
  const credit = { status: credit_status, expires_at: credit_expires_at, lesson_id, ended_lesson_id, ended_at };
  return { ...leave, credit: { ...credit, is_marked } };
};

/** The leave as the contract defines it. An available credit past its expiry is `expired`. */
export const toLeave = (
  { ended_from: _inner, ended_enrolment_id: _ended, credit, ...leave }: LeaveState,
  now: string,
): Leave => {
  if (credit === null) return { ...leave, make_up: null };
  const { is_marked: _derived, ended_lesson_id: _booked, ended_at: _at, ...make_up } = credit;
  const isOver = make_up.status === 'available' && make_up.expires_at <= now;
  return { ...leave, make_up: isOver ? { ...make_up, status: 'expired' } : make_up };
};

/** The columns of `ClazzFacts`. */
const CLAZZ_FACTS = CLAZZ.pick('id', 'name', 'status', 'course_id', 'lead_teacher_id', 'assistant_ids', 'capacity');

export interface LoadedSeats {
  policy: Policy;
  lessons: LessonState[];
}

/** Seats by lesson and student. `at` creates a seat at its first use. */
const createSeats = () => {
  const all = new Map<string, Map<string, Seat>>();
  return {
    at: ({ lesson_id, student_id }: SeatKey): Seat => {
      const ofLesson = all.get(lesson_id) ?? new Map<string, Seat>();
      all.set(lesson_id, ofLesson);
      const seat = ofLesson.get(student_id) ?? { student_id, enrolled: false, guest: false, mark: null, leave: null };
      ofLesson.set(student_id, seat);
      return seat;
    },
    of: (lesson_id: string): Seat[] =>
      [...(all.get(lesson_id)?.values() ?? [])].sort((a, b) => (a.student_id < b.student_id ? -1 : 1)),
  };
};

const CLAZZES = `select ${CLAZZ_FACTS.columns} from clazz
   where org_id = $1 and id = any(array(select clazz_id from lesson where org_id = $1 and id = any($2::uuid[])))
   order by id`;
const READ_CLAZZES = statement(CLAZZES, CLAZZ_FACTS.shape);
/** The class is locked first, so that it is not completed and its enrolments do not change meanwhile. */
const LOCK_CLAZZES = statement(`${CLAZZES} for share`, CLAZZ_FACTS.shape);

const READ_LESSONS = statement(
  `select ${LESSON.columns} from lesson where org_id = $1 and id = any($2::uuid[])`,
  LESSON.shape,
);
/** Locks the booked lessons of credits from these lessons as well, because a credit may be withdrawn. */
const LOCK_LESSONS = statement(
  `select ${LESSON.columns} from lesson
   where org_id = $1 and id = any(array(
     select unnest($2::uuid[]) union
     select c.lesson_id from leave v join make_up_credit c on c.org_id = v.org_id and c.leave_id = v.id
     where v.org_id = $1 and v.lesson_id = any($2::uuid[]) and c.lesson_id is not null))
   order by id for update`,
  LESSON.shape,
);
const LISTED = statement(
  `select l.id as lesson_id, p.student_id, false as guest
   from lesson l join enrolment_period p
     on p.org_id = l.org_id and p.clazz_id = l.clazz_id and p.during @> l.starts_at::timestamptz
   where l.org_id = $1 and l.id = any($2::uuid[])
   union all
   select c.lesson_id, c.student_id, true from make_up_credit c
   where c.org_id = $1 and c.lesson_id = any($2::uuid[])`,
  { lesson_id: notNull(p.uuid()), student_id: notNull(p.text()), guest: notNull(p.boolean()) },
);
const MARK = MARK_REVISION.omit('org_id', 'reason');
const MARKS = statement(
  `select distinct on (lesson_id, student_id) ${MARK.columns}
   from mark_revision where org_id = $1 and lesson_id = any($2::uuid[])
   order by lesson_id, student_id, revision desc`,
  MARK.shape,
);
/**
 * For each student the pending or approved leave, else the newest one that ended with its lesson or enrolment and can
 * be restored.
 */
const LEAVES = statement(
  `select distinct on (v.lesson_id, v.student_id) ${LEAVE_WITH_OPTIONAL_CREDIT.columns}
   from leave v left join make_up_credit c on c.org_id = v.org_id and c.leave_id = v.id
   where v.org_id = $1 and v.lesson_id = any($2::uuid[])
     and (v.status in ('pending', 'approved') or v.ended_from is not null)
   order by v.lesson_id, v.student_id, v.ended_from nulls first, v.id desc`,
  LEAVE_WITH_OPTIONAL_CREDIT.shape,
);

/** All statements are sent in one packet. They run in this order, because classes are locked before lessons. */
const read = async (
  session: Session,
  lesson_ids: readonly string[],
  [clazzesOf, lessonsOf]: readonly [typeof READ_CLAZZES, typeof READ_LESSONS],
): Promise<LoadedSeats> => {
  const { org_id } = session;
  const [clazzes, lessons, listed, marks, leaves, policy] = await Promise.all([
    session.query(clazzesOf, org_id, lesson_ids),
    session.query(lessonsOf, org_id, lesson_ids),
    session.query(LISTED, org_id, lesson_ids),
    session.query(MARKS, org_id, lesson_ids),
    session.query(LEAVES, org_id, lesson_ids),
    policyInForce(session, org_id),
  ]);
  const seats = createSeats();
  for (const row of listed) {
    if (row.guest) seats.at(row).guest = true;
    else seats.at(row).enrolled = true;
  }
  for (const row of marks) {
    const { lesson_id: _lesson, student_id: _student, ...mark } = row;
    seats.at(row).mark = amountsToHundredths(['charged_hours'], mark);
  }
  for (const row of leaves) seats.at(row).leave = toLeaveState(row);
  const clazzOf = new Map(clazzes.map((clazz): [string, ClazzFacts] => [clazz.id, clazz]));
  const lessonOf = new Map(lessons.map((lesson) => [lesson.id, lesson]));
  const states = lesson_ids.flatMap((id): LessonState[] => {
    const lesson = lessonOf.get(id);
    const clazz = lesson && clazzOf.get(lesson.clazz_id);
    return lesson === undefined || clazz === undefined ? [] : [{ lesson, clazz, seats: seats.of(id) }];
  });
  return { policy, lessons: states };
};

/** Reads the seats of lessons with everything that their cascade depends on. */
export const readSeats = (session: Session, lesson_ids: readonly string[]): Promise<LoadedSeats> =>
  read(session, lesson_ids, [READ_CLAZZES, READ_LESSONS]);

/** The same with locks, for a change. It takes six statements for any number of lessons and students. */
export const lockSeats = (session: Session, lesson_ids: readonly string[]): Promise<LoadedSeats> =>
  read(session, lesson_ids, [LOCK_CLAZZES, LOCK_LESSONS]);
