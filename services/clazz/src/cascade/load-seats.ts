import { always, p, type Session, statement } from '@teaching/kit';
import { inHundredths } from '../hours/hundredths.rules.ts';
import { policyInForce } from '../policy/policy-in-force.ts';
import { LISTED as LESSON } from '../record/lesson.table.ts';
import { MAYBE_WITH_CREDIT, toLeaveState } from './leave-row.ts';
import { type ClazzFacts, createSeats, FACTS, type LessonState, type Loaded } from './lesson-state.ts';
import { MARK_REVISION } from './mark-revision.table.ts';

const CLAZZES = `select ${FACTS.columns} from clazz
   where org_id = $1 and id = any(array(select clazz_id from lesson where org_id = $1 and id = any($2::uuid[])))
   order by id`;
const READ_CLAZZES = statement(CLAZZES, FACTS.shape);
/** The class is locked first, so that nobody completes it or changes who is enrolled meanwhile. */
const LOCK_CLAZZES = statement(`${CLAZZES} for share`, FACTS.shape);

const READ_LESSONS = statement(
  `select ${LESSON.columns} from lesson where org_id = $1 and id = any($2::uuid[])`,
  LESSON.shape,
);
/** Also lessons that a credit from these is used for: the credit may be withdrawn. */
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
  { lesson_id: always(p.uuid()), student_id: always(p.text()), guest: always(p.boolean()) },
);
const MARK = MARK_REVISION.without('org_id', 'reason');
const MARKS = statement(
  `select distinct on (lesson_id, student_id) ${MARK.columns}
   from mark_revision where org_id = $1 and lesson_id = any($2::uuid[])
   order by lesson_id, student_id, revision desc`,
  MARK.shape,
);
/** Of each student the leave that lives, or one that ended with its lesson and may return. */
const LEAVES = statement(
  `select distinct on (v.lesson_id, v.student_id) ${MAYBE_WITH_CREDIT.columns}
   from leave v left join make_up_credit c on c.org_id = v.org_id and c.leave_id = v.id
   where v.org_id = $1 and v.lesson_id = any($2::uuid[])
     and (v.status in ('pending', 'approved') or v.ended_from is not null)
   order by v.lesson_id, v.student_id, v.ended_from nulls first, v.id desc`,
  MAYBE_WITH_CREDIT.shape,
);

/** Sent at once, so that all of it leaves in one packet; in this order, since classes are locked before lessons. */
const read = async (
  session: Session,
  lesson_ids: readonly string[],
  [clazzesOf, lessonsOf]: readonly [typeof READ_CLAZZES, typeof READ_LESSONS],
): Promise<Loaded> => {
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
    seats.at(row).mark = inHundredths(['charged_hours'], mark);
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

/** Reads the seats of lessons with all that their cascade depends on. */
export const readSeats = (session: Session, lesson_ids: readonly string[]): Promise<Loaded> =>
  read(session, lesson_ids, [READ_CLAZZES, READ_LESSONS]);

/** The same under lock, so that it can be changed: six statements, however many lessons and students. */
export const lockSeats = (session: Session, lesson_ids: readonly string[]): Promise<Loaded> =>
  read(session, lesson_ids, [LOCK_CLAZZES, LOCK_LESSONS]);
