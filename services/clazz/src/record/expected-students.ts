import { type Session, statement } from '@teaching/kit';
import { LESSON_STUDENT } from './record.tables.ts';

/*
 * Maintains `lesson_student`: one row for each student who is expected at a lesson that is not cancelled. Its
 * exclusion constraint makes clashes of students impossible.
 */

/** SQL condition: the newest mark of a student at a lesson is set. */
export const isMarkedSql = (lesson: string, student: string): string => `(
  select newest.mark is not null from mark_revision newest
  where newest.org_id = $1 and newest.lesson_id = ${lesson} and newest.student_id = ${student}
  order by newest.revision desc limit 1)`;

/**
 * SQL: the students of a lesson `l`: with a period that contains its start, with a booking there, or with a mark there.
 */
const STUDENTS_OF = `(
    select p.student_id from enrolment_period p
    where p.org_id = l.org_id and p.clazz_id = l.clazz_id and p.during @> l.starts_at
    union
    select c.student_id from make_up_credit c where c.org_id = l.org_id and c.lesson_id = l.id
    union
    select k.student_id from mark_revision k
    where k.org_id = l.org_id and k.lesson_id = l.id and k.mark is not null and ${isMarkedSql('k.lesson_id', 'k.student_id')}
  )`;
/**
 * SQL condition: the student has approved leave from the lesson, or had it when the lesson was cancelled. It is false for
 * leave that ended with a membership, because a moved lesson does not restore it.
 */
export const hasApprovedLeave = (lesson: string, student: string): string => `exists (select from leave v
  where v.org_id = $1 and v.lesson_id = ${lesson} and v.student_id = ${student}
    and (v.status = 'approved' or v.ended_from = 'approved' and v.ended_enrolment_id is null))`;

/** SQL condition: the student is on leave from the lesson, and has not booked it as a make-up. A booking counts. */
const IS_EXCUSED = `(${hasApprovedLeave('l.id', 'w.student_id')}
  and not exists (select from make_up_credit c
    where c.org_id = l.org_id and c.lesson_id = l.id and c.student_id = w.student_id))`;
/**
 * SQL condition: the student is unmarked at a held lesson and was enrolled before its first roll call. The enrolment
 * may have ended and been renewed.
 */
const IS_UNMARKED = `l.status = 'held' and ${isMarkedSql('l.id', 'w.student_id')} is not true
    and exists (select from enrolment_period p join enrolment e on e.org_id = p.org_id and e.id = p.enrolment_id
      where p.org_id = l.org_id and p.clazz_id = l.clazz_id and p.student_id = w.student_id
        and p.during @> l.starts_at and e.created_at
        < coalesce(l.held_at,
          (select min(m.marked_at) from mark_revision m where m.org_id = l.org_id and m.lesson_id = l.id)))`;
const EXPECTED = `
  insert into lesson_student (${LESSON_STUDENT.columns})
  select l.org_id, l.id, l.clazz_id, w.student_id, l.starts_at, l.ends_at, false, ${IS_EXCUSED}, ${IS_UNMARKED}
  from lesson l cross join lateral ${STUDENTS_OF} w
  where l.org_id = $1 and l.status <> 'cancelled'`;
const AGAIN = 'on conflict (org_id, lesson_id, student_id) do';
const NOT_EXPECTED = `not exists (select from enrolment_period p where p.org_id = $1 and p.clazz_id = s.clazz_id
       and p.student_id = s.student_id and p.during @> s.starts_at)
     and not exists (select from make_up_credit c where c.org_id = $1 and c.lesson_id = s.lesson_id
       and c.student_id = s.student_id)
     and ${isMarkedSql('s.lesson_id', 's.student_id')} is not true`;

const DROP_STUDENTS = statement(
  `delete from lesson_student s
   where s.org_id = $1 and s.clazz_id = $2 and s.student_id = any($3::text[]) and ${NOT_EXPECTED}`,
);
const ADD_STUDENTS = statement(`${EXPECTED} and l.clazz_id = $2 and w.student_id = any($3::text[]) ${AGAIN} nothing`);
/** A new lesson has no guests, no marks and no leave. */
const ADD_NEW = statement(
  `insert into lesson_student (${LESSON_STUDENT.columns})
   select l.org_id, l.id, l.clazz_id, p.student_id, l.starts_at, l.ends_at, false, false, false
   from lesson l
   join enrolment_period p on p.org_id = l.org_id and p.clazz_id = l.clazz_id and p.during @> l.starts_at
   where l.org_id = $1 and l.clazz_id = $2 and l.status <> 'cancelled' and l.id = any($3::uuid[])`,
);
const DROP_LESSONS = statement('delete from lesson_student where org_id = $1 and lesson_id = any($2::uuid[])');
const ADD_LESSONS = statement(`${EXPECTED} and l.id = any($2::uuid[])`);
const DROP_SEATS = statement(
  `delete from lesson_student s using unnest($2::uuid[], $3::text[]) as w (lesson_id, student_id)
   where s.org_id = $1 and s.lesson_id = w.lesson_id and s.student_id = w.student_id and ${NOT_EXPECTED}`,
);
const ADD_SEATS = statement(
  `${EXPECTED} and l.id = any($2::uuid[])
     and (l.id, w.student_id) in (select lesson_id, student_id from unnest($2::uuid[], $3::text[]) as a (lesson_id, student_id))
   ${AGAIN} update set excused = excluded.excused where lesson_student.excused <> excluded.excused`,
);
const SET_UNMARKED = statement(
  `update lesson_student s set unmarked = w.unmarked
   from unnest($2::uuid[], $3::text[], $4::boolean[]) as w (lesson_id, student_id, unmarked)
   where s.org_id = $1 and s.lesson_id = w.lesson_id and s.student_id = w.student_id and s.unmarked <> w.unmarked`,
);

/** Updates the expected students of a class. Call it after periods of these students changed. */
export const updateExpectedStudents = (session: Session, clazz_id: string, students: readonly string[]): void => {
  session.run(DROP_STUDENTS, session.org_id, clazz_id, students);
  session.run(ADD_STUDENTS, session.org_id, clazz_id, students);
};

/** Adds the expected students of new lessons. Call it after they are stored. */
export const addExpectedStudents = (session: Session, clazz_id: string, lesson_ids: readonly string[]): void =>
  session.run(ADD_NEW, session.org_id, clazz_id, lesson_ids);

/** Replaces the expected students of lessons. Call it after they are moved, cancelled or restored. */
export const replaceExpectedStudents = (session: Session, lesson_ids: readonly string[]): void => {
  session.run(DROP_LESSONS, session.org_id, lesson_ids);
  session.run(ADD_LESSONS, session.org_id, lesson_ids);
};

/** One student at one lesson. */
export interface SeatKey {
  lesson_id: string;
  student_id: string;
}

/** Updates single seats. Call it after leave of these students from these lessons, or their bookings there, changed. */
export const updateExpectedSeats = (session: Session, seats: readonly SeatKey[]): void => {
  if (seats.length === 0) return;
  const of = [seats.map((seat) => seat.lesson_id), seats.map((seat) => seat.student_id)] as const;
  session.run(DROP_SEATS, session.org_id, ...of);
  session.run(ADD_SEATS, session.org_id, ...of);
};

/** Sets which students are unmarked at held lessons. */
export const setUnmarked = (session: Session, seats: readonly (SeatKey & { unmarked: boolean })[]): void => {
  if (seats.length === 0) return;
  session.run(
    SET_UNMARKED,
    session.org_id,
    seats.map((seat) => seat.lesson_id),
    seats.map((seat) => seat.student_id),
    seats.map((seat) => seat.unmarked),
  );
};
