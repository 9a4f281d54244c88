import { MARKS } from '@teaching/contracts';
import { notNull, bigint, hundredths, instant, p, statement, table, type WorkerTransaction } from '@teaching/kit';
import type { LessonKey } from '../figures/refresh-clazz-figures.ts';
import { type Explanation, explanation, type Subject, SUBJECTS } from './explanation.ts';
import { COUNTS, LESSON_COLUMNS, lessonsOf } from './lesson.ts';
import { projection } from './projection.ts';
import { rollCallEvents } from './roll-call.ts';
import { columnsOf, type Selected, type Source } from './source.ts';

/** The newest mark of each student at each lesson; where and when it counts is its lesson's, and stands beside it. */
export const MARK = table('mark', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  lesson_id: p.uuid().primary(),
  student_id: p.text().primary(),
  mark: p.enum(MARKS).nullable(),
  marked_by: p.text(),
  marked_at: instant(),
  charged_hours: hundredths(),
  revision: p.integer(),
  seq: bigint(),
  clazz_id: p.uuid(),
  at: instant(),
  counts: p.boolean(),
});

/** Where a mark counts: of its lesson `l`, which is stored before. */
const PLACE = { clazz_id: 'l.clazz_id', at: 'l.starts_at', counts: "l.status in ('scheduled', 'held')" };
/** One search by key for each, whatever the planner believes about tables it has not seen for a while (`offset 0`). */
const joinLesson = (alias: string, gen: string): string => `cross join lateral (
  select * from lesson
  where org_id = ${alias}.org_id and gen = ${gen} and id = ${alias}.lesson_id offset 0) as l`;

export const marks = projection(MARK, {
  keeps: { highest: 'seq' },
  states: function* (batch) {
    for (const { org_id, seq, lesson, marks } of rollCallEvents(batch)) {
      for (const mark of marks) yield { ...mark, org_id, seq, lesson_id: lesson.id };
    }
  },
  added: { join: joinLesson('e', '$1'), columns: PLACE },
  touched: (told) => ({
    lessons: [...new Map(told.map(({ org_id, lesson_id }) => [lesson_id, { org_id, lesson_id }])).values()],
  }),
});

/** `gen` is compared with the lesson's: with $1 it would seem to leave a handful of rows, which are then read for each lesson. */
const MOVE_MARKS = statement(`
  update mark as m set ${Object.entries(PLACE)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')}
  from json_populate_recordset(null::mark, $2) as e ${joinLesson('e', '$1')}
  where m.org_id = l.org_id and m.gen = l.gen and m.lesson_id = l.id`);

/** Takes the marks of lessons along to where these are now. */
export const moveMarks = (tx: WorkerTransaction, gen: number, moved: readonly LessonKey[]): void => {
  if (moved.length > 0) tx.run(MOVE_MARKS, gen, JSON.stringify(moved));
};

const m = columnsOf('m', MARK);

export const MARK_OF = 'm.org_id = l.org_id and m.gen = l.gen and m.lesson_id = l.id';
// Not `<> 0`: where lessons cost the same everywhere, Postgres takes the rest, under row-level security, for none.
const CHARGED = 'm.charged_hours > 0';
const BY_CHARGE: Selected = { counts: m('charged_hours') };
const ID = "m.lesson_id || ' ' || m.student_id";

/** Of a student by the marks themselves, of others by their lessons. */
const marksOf = (
  subject: Subject,
): Required<Pick<Source, 'from' | 'at' | 'clazz' | 'org'>> & Pick<Source, 'subject'> => {
  if (subject === 'student') {
    const from = `mark as m join lesson as l on ${MARK_OF}`;
    return { from, subject: 'm.student_id', at: 'm.at', clazz: 'm.clazz_id', org: 'm' };
  }
  const { from, ...rest } = lessonsOf(subject);
  return { ...rest, from: `${from} join mark as m on ${MARK_OF}` };
};

const markRows = (subject: Subject, where: readonly string[], more: Selected = {}): Source & { at: string } => {
  const place = marksOf(subject);
  return {
    ...place,
    select: {
      ...LESSON_COLUMNS,
      at: [place.at, MARK.shape.at],
      source: ["'mark'", notNull(p.text().$type<'mark'>())],
      id: [ID, notNull(p.text())],
      student_id: m('student_id'),
      state: m('mark'),
      by: m('marked_by'),
      done_at: m('marked_at'),
      revision: m('revision'),
      ...more,
    },
    where,
    sort: { by: place.at, type: 'timestamptz', id: ID, idType: 'text' },
  };
};

/** What lessons have cost an organization so far, in the order of the lessons, which an index has. */
const { at: _whenever, ...CONSUMED } = markRows('org', [CHARGED], BY_CHARGE);

/** What lessons have cost, as a ledger shows it: of a student as it came, of an organization by its lessons. */
const CHARGE: Selected = {
  ...BY_CHARGE,
  source: ["'mark'", notNull(p.text().$type<'mark'>())],
  id: [ID, notNull(p.text())],
  at: m('marked_at'),
  clazz_id: m('clazz_id'),
  lesson_id: m('lesson_id'),
  student_id: m('student_id'),
  state: ["'consume'", notNull(p.text())],
};
export const CHARGES: Readonly<Record<'student' | 'org', Source>> = {
  student: {
    from: 'mark as m',
    select: CHARGE,
    where: [CHARGED],
    subject: 'm.student_id',
    clazz: 'm.clazz_id',
    org: 'm',
    sort: { by: 'm.marked_at', type: 'timestamptz', id: ID, idType: 'text' },
  },
  org: { ...CONSUMED, select: CHARGE },
};

/** The marks of the attendance rate: who came, and who was to come. */
export const attended = (subject: Subject): Source => markRows(subject, [COUNTS, "m.mark in ('present', 'late')"]);
export const expected = (subject: Subject): Source =>
  markRows(subject, [COUNTS, "m.mark in ('present', 'late', 'absent')"]);

export const explainedByMarks: readonly Explanation[] = [
  ...SUBJECTS.flatMap((subject) => [
    ...MARKS.map((mark) => explanation(mark, subject, markRows(subject, [COUNTS, `m.mark = '${mark}'`]))),
    explanation('numerator', subject, attended(subject)),
    explanation('denominator', subject, expected(subject)),
    explanation('hours_consumed', subject, markRows(subject, ["l.status <> 'deleted'", CHARGED], BY_CHARGE)),
  ]),
  explanation('consumed', 'org', CONSUMED),
];
