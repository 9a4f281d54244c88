import { type Lesson, type Policy, toHundredths } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { LEAVE_COLUMNS, type LeaveRow, toLeaveState } from './leave-row.ts';
import { policyInForce } from '../policy/policy-in-force.ts';
import type { CurrentMark, Seat } from './cascade.rules.ts';

export const LESSON_COLUMNS = `l.id, l.org_id, l.clazz_id, l.series_id, l.teacher_id, l.room, l.starts_at, l.ends_at,
  l.zone, l.hours, l.status, l.cancelled_by, l.cancel_reason, l.version, l.created_at, l.updated_at`;

/** What the rules need to know of a lesson's class. */
export interface ClazzFacts {
  id: string;
  status: 'draft' | 'active' | 'completed' | 'cancelled';
  course_id: string | null;
  lead_teacher_id: string;
  assistant_ids: string[];
  capacity: number | null;
}

/** A lesson with everybody who has to do with it: listed, marked before, or on leave. */
export interface LessonState {
  lesson: Lesson;
  clazz: ClazzFacts;
  seats: Seat[];
}

const CLAZZES = `select c.id, c.status, c.course_id, c.lead_teacher_id, c.assistant_ids, c.capacity from clazz c
   where c.org_id = $1 and c.id = any(array(select clazz_id from lesson where org_id = $1 and id = any($2::uuid[])))
   order by c.id`;
const READ_CLAZZES = statement<ClazzFacts>(CLAZZES);
/** The class is held still first, so that nobody completes it or changes who is enrolled meanwhile. */
const HOLD_CLAZZES = statement<ClazzFacts>(`${CLAZZES} for share`);

const READ_LESSONS = statement<Lesson>(
  `select ${LESSON_COLUMNS} from lesson l where l.org_id = $1 and l.id = any($2::uuid[])`,
);
/** Also lessons that a credit from these is used for: the credit may be withdrawn. */
const LOCK_LESSONS = statement<Lesson>(
  `select ${LESSON_COLUMNS} from lesson l
   where l.org_id = $1 and l.id = any(array(
     select unnest($2::uuid[]) union
     select c.lesson_id from leave v join make_up_credit c on c.org_id = v.org_id and c.leave_id = v.id
     where v.org_id = $1 and v.lesson_id = any($2::uuid[]) and c.lesson_id is not null))
   order by l.id for update`,
);
const LISTED = statement<{ lesson_id: string; student_id: string; guest: boolean }>(
  `select l.id as lesson_id, p.student_id, false as guest
   from lesson l join enrolment_period p
     on p.org_id = l.org_id and p.clazz_id = l.clazz_id and p.during @> l.starts_at::timestamptz
   where l.org_id = $1 and l.id = any($2::uuid[])
   union all
   select c.lesson_id, c.student_id, true from make_up_credit c
   where c.org_id = $1 and c.lesson_id = any($2::uuid[])`,
);
const MARKS = statement<
  Omit<CurrentMark, 'charged'> & { lesson_id: string; student_id: string; charged_hours: string }
>(
  `select distinct on (lesson_id, student_id) lesson_id, student_id, mark, revision, note, charge_rule, lesson_hours,
     charged_hours, policy_version, marked_by, marked_at
   from mark_revision where org_id = $1 and lesson_id = any($2::uuid[])
   order by lesson_id, student_id, revision desc`,
);
/** Of each student the leave that lives, or one that ended with its lesson and may return. */
const LEAVES = statement<LeaveRow>(
  `select distinct on (v.lesson_id, v.student_id) ${LEAVE_COLUMNS}
   from leave v left join make_up_credit c on c.org_id = v.org_id and c.leave_id = v.id
   where v.org_id = $1 and v.lesson_id = any($2::uuid[])
     and (v.status in ('pending', 'approved') or v.ended_from is not null)
   order by v.lesson_id, v.student_id, v.ended_from nulls first, v.id desc`,
);

export interface Loaded {
  policy: Policy;
  lessons: LessonState[];
}

interface Rows {
  clazzes: Promise<ClazzFacts[]>;
  lessons: Promise<Lesson[]>;
}

type Of = { lesson_id: string; student_id: string };

/** Seats of lessons, made when first mentioned. */
const createSeats = () => {
  const all = new Map<string, Map<string, Seat>>();
  return {
    at: ({ lesson_id, student_id }: Of): Seat => {
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

const read = async (session: Session, lesson_ids: readonly string[], rows: Rows): Promise<Loaded> => {
  const { org_id } = session;
  const [clazzes, lessons, listed, marks, leaves, policy] = await Promise.all([
    rows.clazzes,
    rows.lessons,
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
    const { lesson_id: _lesson, student_id: _student, charged_hours, ...mark } = row;
    seats.at(row).mark = { ...mark, charged: toHundredths(charged_hours) };
  }
  for (const row of leaves) seats.at(row).leave = toLeaveState(row);
  const clazzOf = new Map(clazzes.map((clazz) => [clazz.id, clazz]));
  const lessonOf = new Map(lessons.map((lesson) => [lesson.id, lesson]));
  const states = lesson_ids.flatMap((id): LessonState[] => {
    const lesson = lessonOf.get(id);
    const clazz = lesson && clazzOf.get(lesson.clazz_id);
    return lesson === undefined || clazz === undefined ? [] : [{ lesson, clazz, seats: seats.of(id) }];
  });
  return { policy, lessons: states };
};

/** Reads lessons with all that their cascade depends on. */
export const peekLessons = (session: Session, lesson_ids: readonly string[]): Promise<Loaded> =>
  read(session, lesson_ids, {
    clazzes: session.query(READ_CLAZZES, session.org_id, lesson_ids),
    lessons: session.query(READ_LESSONS, session.org_id, lesson_ids),
  });

/** The same under lock, so that it can be changed: six statements, however many lessons and students. */
export const loadLessons = (session: Session, lesson_ids: readonly string[]): Promise<Loaded> =>
  read(session, lesson_ids, {
    clazzes: session.query(HOLD_CLAZZES, session.org_id, lesson_ids),
    lessons: session.query(LOCK_LESSONS, session.org_id, lesson_ids),
  });
