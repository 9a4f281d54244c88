import { clazzEvents, ENROLMENT_STATUSES } from '@teaching/contracts';
import { notNull, bigint, eventsOf, instant, nullableColumns, p, sequenceOf, statement, table } from '@teaching/kit';
import { BOOKINGS, IS_BOOKED } from '../figures/student-totals.ts';
import { peopleTaught } from '../figures/people-taught.ts';
import { currentRecordsOf, nameOfPerson } from '../figures/sql-fragments.ts';
import { type Explanation, explanation, explanationInParts, type Subject, SUBJECTS } from './explanation.ts';
import { IS_COUNTED, IS_HELD, lessonsOfClazzJoin, lessonsOf } from './lesson.ts';
import { attendedMarks, expectedMarks, MARK, MARKS_OF_LESSON_JOIN } from './mark.ts';
import { projection } from './projection.ts';
import type { ExplanationSource } from './source.ts';

/** Members of classes. `during` contains the periods of the membership. */
export const ENROLMENT = table('enrolment', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  id: p.uuid().primary(),
  clazz_id: p.uuid(),
  student_id: p.text(),
  status: p.enum(ENROLMENT_STATUSES),
  during: p.text().columnType('tstzmultirange'),
  seq: bigint(),
});

/** The periods in the text form of a `tstzmultirange`. Empty periods are left out. */
const multirange = (periods: readonly { since: string; until: string | null }[]): string =>
  `{${periods
    .filter(({ since, until }) => until === null || until > since)
    .map(({ since, until }) => `[${since},${until ?? ''})`)
    .join(',')}}`;

export const enrolments = projection(ENROLMENT, {
  mergeRule: { highest: 'seq' },
  states: (batch) =>
    eventsOf(batch, clazzEvents.enrolmentChanged).flatMap((event) =>
      event.data.enrolments.map((enrolment) => {
        const during = multirange(enrolment.periods);
        return { ...enrolment, org_id: event.orgid, during, seq: sequenceOf(event) };
      }),
    ),
  // Returns the periods that were added to, or removed from, a membership.
  store: (upsert, gen) => `
    with stored as (
      ${upsert}
      returning new.org_id, new.clazz_id, new.student_id,
        (new.during - coalesce(old.during, '{}')) + (coalesce(old.during, '{}') - new.during) as changed,
        (new.status = 'active')::int - coalesce((old.status = 'active')::int, 0) as active
    ), student as (
      select org_id, student_id, sum(active) as more, (
        -- The count before this statement: a statement does not see its own writes.
        select count(*) from enrolment as e
        where e.org_id = stored.org_id and e.gen = ${gen} and e.student_id = stored.student_id and e.status = 'active'
      ) as before
      from stored group by org_id, student_id having sum(active) <> 0
    ), org as (
      insert into org_account (gen, org_id, students_active)
      select ${gen}, org_id, sum((before + more > 0)::int - (before > 0)::int) from student group by org_id
      on conflict (org_id, gen) do update set students_active = org_account.students_active + excluded.students_active
    )
    select org_id, clazz_id, changed as during from stored where changed <> '{}'`,
  shape: {
    ...ENROLMENT.pick('org_id', 'clazz_id').shape,
    during: notNull(p.text().columnType('tstzmultirange')),
  },
  touched: (_states, changed) => ({ enrolments: [...changed] }),
});

const PEOPLE = statement(
  `${peopleTaught({ org: '$1', teacher: '$2', from: '$3', to: '$4', bounds: '$5' })}
  select 'student' as source, student_id as id, 1 as counts, min(at) as at, null as clazz_id, null as clazz_name, null as lesson_id,
    null::timestamptz as lesson_starts_at, null::timestamptz as lesson_ends_at,
    student_id, ${nameOfPerson('student_id', currentRecordsOf('$1'))} as student_name, $2::text as teacher_id, ${nameOfPerson('$2', currentRecordsOf('$1'))} as teacher_name, null as state, null as by, null as by_name, null::timestamptz as done_at, null::int as revision
  from belonged cross join lateral unnest(student_ids) as student_id where ($6::text is null or student_id > $6) and ($7::uuid is null or clazz_id = $7)
  group by student_id order by student_id limit $8`,
  {
    source: notNull(p.text().$type<'student'>()),
    id: notNull(p.text()),
    counts: notNull(p.integer()),
    at: notNull(instant()),
    clazz_id: p.text().nullable(),
    clazz_name: p.text().nullable(),
    lesson_id: p.text().nullable(),
    lesson_starts_at: instant().nullable(),
    lesson_ends_at: instant().nullable(),
    student_id: notNull(p.text()),
    student_name: p.text().nullable(),
    teacher_id: notNull(p.text()),
    teacher_name: p.text().nullable(),
    state: p.text().nullable(),
    by: p.text().nullable(),
    by_name: p.text().nullable(),
    done_at: instant().nullable(),
    revision: p.integer().nullable(),
  },
);

/** Lists each person that a teacher taught once, with the first lesson. The figure counts people, not seats. */
const explainedByPeople: Explanation = {
  figure: 'students',
  subject: 'teacher',
  page: async (session, { limit, cursor }, { id, clazz_id = null, range: { starts_at, ends_at, request } }) => {
    const list = JSON.stringify(['students', id, clazz_id, request]);
    const after = session.readCursor(cursor, list)?.[0] ?? null;
    const range = [starts_at, ends_at, [starts_at]] as const;
    const rows = await session.query(PEOPLE, session.org_id, id, ...range, after, clazz_id, limit + 1);
    const items = rows.slice(0, limit);
    const last = rows.length > limit ? items.at(-1) : undefined;
    return { items, next_cursor: last === undefined ? null : session.signCursor([last.id], list) };
  },
};

const BELONGS = `${lessonsOfClazzJoin('e')} and e.during @> l.starts_at`;
/** SQL columns of a seat of the member `e` at the lesson `l`. `at` is the column with the time of the lesson. */
const seatAt = (at: string): string =>
  `e.org_id, e.gen, e.student_id, l.id as lesson_id, l.clazz_id, ${at} as at, l.teacher_id, l.status`;

const STUDENT_SEATS = `
  select ${seatAt('l.starts_at')} from enrolment as e join lesson as l on ${BELONGS}
  union all
  select m.org_id, m.gen, m.student_id, l.id, m.clazz_id, m.at, l.teacher_id, l.status
  from mark as m join lesson as l on ${MARKS_OF_LESSON_JOIN}
  where m.mark is not null and not exists (select from enrolment as e where e.org_id = m.org_id
    and e.gen = m.gen and e.student_id = m.student_id and e.clazz_id = m.clazz_id and e.during @> m.at)
  union all
  select v.org_id, v.gen, v.student_id, l.id, l.clazz_id, l.starts_at, l.teacher_id, l.status
  from ${BOOKINGS}
  where ${IS_BOOKED}`;

/** SQL of the seats of members at lessons. For a student, they include the seats as a guest. `only` is a condition. */
const seatsOf = (subject: Subject, only: string): string => {
  const { from, at } = lessonsOf(subject);
  return subject === 'student'
    ? STUDENT_SEATS
    : `select ${seatAt(at)} from ${from} join enrolment as e on ${BELONGS} where ${only}`;
};

const SUBJECT_COLUMNS = { student: 'l.student_id', teacher: 'l.teacher_id', clazz: 'l.clazz_id' };
const MARKED = nullableColumns(MARK.pick('marked_by', 'marked_at', 'revision').shape);

const seats = (subject: Subject, where: readonly string[], only = 'true'): ExplanationSource => ({
  from: `(${seatsOf(subject, only)}) as l left join mark as m on m.org_id = l.org_id and m.gen = l.gen
    and m.lesson_id = l.lesson_id and m.student_id = l.student_id`,
  select: {
    source: ["'seat'", notNull(p.text().$type<'seat'>())],
    id: ["l.lesson_id || ' ' || l.student_id", notNull(p.text())],
    at: ['l.at', notNull(instant())],
    clazz_id: ['l.clazz_id', notNull(p.uuid())],
    lesson_id: ['l.lesson_id', notNull(p.uuid())],
    student_id: ['l.student_id', notNull(p.text())],
    teacher_id: ['l.teacher_id', notNull(p.text())],
    state: ['coalesce(m.mark, l.status)', notNull(p.text())],
    by: ['m.marked_by', MARKED.marked_by],
    done_at: ['m.marked_at', MARKED.marked_at],
    revision: ['m.revision', MARKED.revision],
  },
  where: [IS_COUNTED, ...where],
  at: 'l.at',
  clazz: 'l.clazz_id',
  org: 'l',
  ...(subject === 'org' ? {} : { subject: SUBJECT_COLUMNS[subject] }),
  sort: { by: 'l.at', type: 'timestamptz', id: "l.lesson_id || ' ' || l.student_id", idType: 'text' },
});

const IN_FIGURES = `exists (
  select from clazz_figure as f where f.org_id = l.org_id and f.gen = l.gen and f.clazz_id = l.clazz_id
    and f.at = l.starts_at and f.teacher_id = l.teacher_id and f.unmarked > 0)`;
const CONDITIONS = { student: 'true', teacher: 'f.unmarked > 0', clazz: IN_FIGURES, org: IN_FIGURES };
/** Seats without a mark. Most seats have one, so only lessons whose figures count unmarked seats are searched. */
const unmarked = (subject: Subject): ExplanationSource => seats(subject, ['m.mark is null'], CONDITIONS[subject]);

/** Each student with an active enrolment, once. */
const ACTIVE: ExplanationSource = {
  from: `(
    select org_id, gen, student_id from enrolment where status = 'active' group by org_id, gen, student_id
  ) as a`,
  select: {
    source: ["'student'", notNull(p.text().$type<'student'>())],
    id: ['a.student_id', notNull(p.text())],
    at: ['clock.now', notNull(instant())],
    student_id: ['a.student_id', notNull(p.text())],
    state: ["'active'", notNull(p.text())],
  },
  where: [],
  org: 'a',
  sort: { by: 'a.student_id', type: 'text', id: 'a.student_id', idType: 'text' },
};

export const enrolmentExplanations: readonly Explanation[] = [
  explanation('scheduled', 'student', seats('student', [])),
  explanation('held', 'student', seats('student', [IS_HELD])),
  ...SUBJECTS.flatMap((subject) => [
    explanation('unmarked', subject, unmarked(subject)),
    explanationInParts('still_attainable_numerator', subject, [attendedMarks(subject), unmarked(subject)]),
    explanationInParts('still_attainable_denominator', subject, [expectedMarks(subject), unmarked(subject)]),
  ]),
  explanation('students_active', 'org', ACTIVE),
  explainedByPeople,
];
