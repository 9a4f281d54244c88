import { type Session, statement } from '@teaching/kit';
import { scheduleConflict } from '../record/conflict.rules.ts';
import { CONFLICT, type ConflictRow, withConflictNames } from '../record/conflict.shape.ts';
import { hasApprovedLeave, isMarkedSql } from '../record/expected-students.ts';
import { LESSON, type LessonRow } from '../record/record.tables.ts';
import type { LessonEdit } from './edit.rules.ts';

/** A wanted lesson. Null fields are not checked: an edit that keeps time and room does not check the room. */
interface WantedLesson {
  id: string;
  starts_at: string;
  ends_at: string;
  teacher_id: string | null;
  room: string | null;
}

/**
 * SQL: the rows of `table` that overlap `w`. No lesson is longer than a day, so a range of starts finds every overlap.
 * `offset 0` makes Postgres search the index by start once for each wanted lesson, independent of its size estimates.
 */
export const overlappingRows = (table: string, condition: string): string =>
  `cross join lateral (
     select * from ${table} it
     where it.org_id = $1 and ${condition} and it.starts_at < w.ends_at and it.ends_at > w.starts_at
       and it.starts_at > w.starts_at - interval '24 hours'
     offset 0
   )`;

/**
 * SQL condition: the student will not be expected at the lesson as a member of its class. Leave that ended with an
 * earlier membership is restored by the new one.
 */
export const wouldBeOnLeave = (lesson: string, student: string): string => `exists (select from leave v
  where v.org_id = $1 and v.lesson_id = ${lesson} and v.student_id = ${student}
    and (v.status = 'approved' or v.ended_from = 'approved'))`;

/**
 * All clashes of any number of wanted lessons by one statement. Overridden lessons count as well.
 * Guests of a wanted lesson are checked with it. A student on leave from another lesson is not expected there.
 */
const FIND = statement(
  `with w as (
     select ordinality::int as n, id, starts_at, ends_at, teacher_id, room
     from json_populate_recordset(null::lesson, $3) with ordinality
   )
   ${withConflictNames(`select w.n, l.id as lesson_id, l.clazz_id, l.starts_at, l.ends_at, l.teacher_id, null as room,
     null as student_id, l.override
   from w ${overlappingRows('lesson', "it.teacher_id = w.teacher_id and it.status <> 'cancelled'")} l
   where l.id <> all($4::uuid[])
   union all
   select w.n, l.id, l.clazz_id, l.starts_at, l.ends_at, null, l.room, null, l.override
   from w ${overlappingRows('lesson', "it.room = w.room and it.status <> 'cancelled'")} l
   where l.id <> all($4::uuid[])
   union all
   select w.n, s.lesson_id, s.clazz_id, s.starts_at, s.ends_at, null, null, s.student_id, s.override
   from w
   cross join lateral (
     select p.student_id from enrolment_period p
     where $5 and p.org_id = $1 and p.clazz_id = $2 and p.during @> w.starts_at and not ${hasApprovedLeave('w.id', 'p.student_id')}
     union all
     select c.student_id from make_up_credit c where $5 and c.org_id = $1 and c.lesson_id = w.id
   ) p
   ${overlappingRows('lesson_student', 'it.student_id = p.student_id and not it.excused')} s
   where s.lesson_id <> all($4::uuid[])`)}`,
  CONFLICT,
);

/**
 * The clashes of these lessons of a class with teachers, rooms and students. `ignoring` are lessons about to be
 * changed.
 */
export const findConflicts = (
  session: Session,
  clazz_id: string,
  wanted: readonly WantedLesson[],
  options: { ignoring?: readonly string[]; students?: boolean } = {},
): Promise<ConflictRow[]> => {
  const { ignoring = [], students = true } = options;
  const rows = wanted.map(({ id, starts_at, ends_at, teacher_id, room }) => ({
    id,
    starts_at,
    ends_at,
    teacher_id,
    room,
  }));
  return session.query(FIND, session.org_id, clazz_id, JSON.stringify(rows), ignoring, students);
};

/** SQL condition: the student stays expected after leaving the class, because of a mark or a booking. */
const STAYS = `(${isMarkedSql('s.lesson_id', 's.student_id')} is true or exists (select from make_up_credit c
  where c.org_id = $1 and c.lesson_id = s.lesson_id and c.student_id = s.student_id))`;

/** Lessons of other classes that overlap lessons of the class, for these students, as the constraint checks them. */
const FOR_STUDENTS = statement(
  `with w as (
     select id, starts_at, ends_at from lesson
     where org_id = $1 and clazz_id = $2 and status <> 'cancelled' and starts_at >= $4
   )
   ${withConflictNames(`select 0 as n, s.lesson_id, s.clazz_id, s.starts_at, s.ends_at, null as teacher_id, null as room,
     s.student_id, s.override
   from w cross join unnest($3::text[]) as student
   ${overlappingRows('lesson_student', 'it.student_id = student and not it.override and not it.excused')} s
   where s.clazz_id <> $2 and not ${wouldBeOnLeave('w.id', 'student')}
     and not (s.clazz_id is not distinct from $5::uuid and s.starts_at >= $4 and not ${STAYS})
   union all
   select 0, o.id, o.clazz_id, o.starts_at, o.ends_at, null, null, student, o.override
   from w
   ${overlappingRows('lesson', "it.clazz_id = $2 and it.status <> 'cancelled'")} o
   cross join unnest($3::text[]) as student
   where o.id <> w.id and o.starts_at >= $4`)}`,
  CONFLICT,
);

/**
 * The clashes that enrolling these students from `since` on would cause. `leaving` is a class that they leave at
 * `since`.
 */
export const findStudentConflicts = (
  session: Session,
  clazz_id: string,
  students: readonly string[],
  since: string,
  leaving: string | null = null,
): Promise<ConflictRow[]> => session.query(FOR_STUDENTS, session.org_id, clazz_id, students, since, leaving);

/** 409 `schedule_conflict` when these students have lessons at the time of lessons of the class. */
export const requireNoStudentClash = async (...args: Parameters<typeof findStudentConflicts>): Promise<void> => {
  const clashes = await findStudentConflicts(...args);
  if (clashes.length > 0) throw scheduleConflict(clashes);
};

/**
 * The teacher, room and time that must be free for an edited lesson: all of them if it moves, else only changed ones.
 */
export const requestedTimes = ({ before, after, moved }: LessonEdit<LessonRow>): WantedLesson => ({
  id: before.id,
  starts_at: after.starts_at,
  ends_at: after.ends_at,
  teacher_id: moved || after.teacher_id !== before.teacher_id ? after.teacher_id : null,
  room: moved || after.room !== before.room ? after.room : null,
});

/** The clashes of edited lessons of a class at their new times. Their present times are ignored. */
export const findEditConflicts = (
  session: Session,
  clazz_id: string,
  edits: readonly LessonEdit<LessonRow>[],
): Promise<ConflictRow[]> =>
  findConflicts(session, clazz_id, edits.map(requestedTimes), {
    ignoring: edits.map(({ before }) => before.id),
    students: edits.some(({ moved }) => moved),
  });

/** The teachers and rooms of other lessons at the times of wanted lessons. */
const OCCUPIED = statement(
  `with w as (select id, starts_at, ends_at from json_populate_recordset(null::lesson, $2))
   select distinct l.teacher_id, l.room
   from w ${overlappingRows('lesson', "it.hours >= 0 and it.status <> 'cancelled'")} l
   where l.id <> all($3::uuid[])`,
  { teacher_id: LESSON.shape.teacher_id, room: LESSON.shape.room },
);

/** The teachers and rooms that another lesson needs at the time of one of these lessons, which ignore each other. */
export const findOccupied = async (
  session: Session,
  wanted: readonly Pick<LessonRow, 'id' | 'starts_at' | 'ends_at'>[],
): Promise<{ teachers: Set<string>; rooms: string[] }> => {
  const rows = wanted.map(({ id, starts_at, ends_at }) => ({ id, starts_at, ends_at }));
  const found = await session.query(
    OCCUPIED,
    session.org_id,
    JSON.stringify(rows),
    rows.map(({ id }) => id),
  );
  return {
    teachers: new Set(found.map((row) => row.teacher_id)),
    rooms: [...new Set(found.flatMap(({ room }) => room ?? []))].toSorted(),
  };
};
