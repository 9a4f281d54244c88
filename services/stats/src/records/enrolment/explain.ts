import { always, instant, orNull, p } from '@teaching/kit';
import { type Explained, explained, type Subject, SUBJECTS } from '../explained.ts';
import { explainedInParts } from '../explained-in-parts.ts';
import { COUNTS, HELD, LESSON_OF, lessonsOf } from '../lesson/explain.ts';
import { BOOKINGS, IS_BOOKED } from '../../figures/lessons-of-student.ts';
import { attended, expected, MARK_OF } from '../mark/explain.ts';
import { MARK } from '../mark/table.ts';
import { explainedByPeople } from './explain-people.ts';
import type { Source } from '../source.ts';

const BELONGS = `${LESSON_OF('e')} and e.during @> l.starts_at`;
/** Of somebody enrolled `e` at a lesson `l`, whose time is found by this column. */
const seatAt = (at: string): string =>
  `e.org_id, e.gen, e.student_id, l.id as lesson_id, l.clazz_id, ${at} as at, l.teacher_id, l.status`;

const OF_STUDENT = `
  select ${seatAt('l.starts_at')} from enrolment as e join lesson as l on ${BELONGS}
  union all
  select m.org_id, m.gen, m.student_id, l.id, m.clazz_id, m.at, l.teacher_id, l.status
  from mark as m join lesson as l on ${MARK_OF}
  where m.mark is not null and not exists (select from enrolment as e where e.org_id = m.org_id
    and e.gen = m.gen and e.student_id = m.student_id and e.clazz_id = m.clazz_id and e.during @> m.at)
  union all
  select v.org_id, v.gen, v.student_id, l.id, l.clazz_id, l.starts_at, l.teacher_id, l.status
  from ${BOOKINGS}
  where ${IS_BOOKED}`;

/** Seats at lessons of classes one belongs to, and of one student also those as a guest. */
const seatsOf = (subject: Subject, only: string): string => {
  const { from, at } = lessonsOf(subject);
  return subject === 'student'
    ? OF_STUDENT
    : `select ${seatAt(at)} from ${from} join enrolment as e on ${BELONGS} where ${only}`;
};

const WHOSE = { student: 'l.student_id', teacher: 'l.teacher_id', clazz: 'l.clazz_id' };
const MARKED = orNull(MARK.some('marked_by', 'marked_at', 'revision').shape);

const seats = (subject: Subject, where: readonly string[], only = 'true'): Source => ({
  from: `(${seatsOf(subject, only)}) as l left join mark as m on m.org_id = l.org_id and m.gen = l.gen
    and m.lesson_id = l.lesson_id and m.student_id = l.student_id`,
  select: {
    source: ["'seat'", always(p.text().$type<'seat'>())],
    id: ["l.lesson_id || ' ' || l.student_id", always(p.text())],
    at: ['l.at', always(instant())],
    clazz_id: ['l.clazz_id', always(p.uuid())],
    lesson_id: ['l.lesson_id', always(p.uuid())],
    student_id: ['l.student_id', always(p.text())],
    teacher_id: ['l.teacher_id', always(p.text())],
    state: ['coalesce(m.mark, l.status)', always(p.text())],
    by: ['m.marked_by', MARKED.marked_by],
    done_at: ['m.marked_at', MARKED.marked_at],
    revision: ['m.revision', MARKED.revision],
  },
  where: [COUNTS, ...where],
  at: 'l.at',
  clazz: 'l.clazz_id',
  org: 'l',
  ...(subject === 'org' ? {} : { subject: WHOSE[subject] }),
  sort: { by: 'l.at', type: 'timestamptz', id: "l.lesson_id || ' ' || l.student_id", idType: 'text' },
});

const IN_FIGURES = `exists (
  select from clazz_figure as f where f.org_id = l.org_id and f.gen = l.gen and f.clazz_id = l.clazz_id
    and f.at = l.starts_at and f.teacher_id = l.teacher_id and f.unmarked > 0)`;
const ONLY = { student: 'true', teacher: 'f.unmarked > 0', clazz: IN_FIGURES, org: IN_FIGURES };
/** Most seats have their mark: but for one student's, they are looked at only where figures count some without. */
const unmarked = (subject: Subject): Source => seats(subject, ['m.mark is null'], ONLY[subject]);

/** Each person once, in however many classes they are active. */
const ACTIVE: Source = {
  from: `(
    select org_id, gen, student_id from enrolment where status = 'active' group by org_id, gen, student_id
  ) as a`,
  select: {
    source: ["'student'", always(p.text().$type<'student'>())],
    id: ['a.student_id', always(p.text())],
    at: ['clock.now', always(instant())],
    student_id: ['a.student_id', always(p.text())],
    state: ["'active'", always(p.text())],
  },
  where: [],
  org: 'a',
  sort: { by: 'a.student_id', type: 'text', id: 'a.student_id', idType: 'text' },
};

export const explainedByEnrolments: readonly Explained[] = [
  explained('scheduled', 'student', seats('student', [])),
  explained('held', 'student', seats('student', [HELD])),
  ...SUBJECTS.flatMap((subject) => [
    explained('unmarked', subject, unmarked(subject)),
    explainedInParts('still_attainable_numerator', subject, [attended(subject), unmarked(subject)]),
    explainedInParts('still_attainable_denominator', subject, [expected(subject), unmarked(subject)]),
  ]),
  explained('students_active', 'org', ACTIVE),
  explainedByPeople,
];
