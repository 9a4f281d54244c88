import { MARKS } from '@teaching/contracts';
import { notNull, bigint, hundredths, instant, p, statement, table, type WorkerTransaction } from '@teaching/kit';
import type { LessonKey } from '../figures/refresh-clazz-figures.ts';
import { type Explanation, explanation, type Subject, SUBJECTS } from './explanation.ts';
import { IS_COUNTED, LESSON_COLUMNS, lessonsOf } from './lesson.ts';
import { projection } from './projection.ts';
import { rollCallEvents } from './roll-call.ts';
import { columnsOf, type SelectedColumns, type ExplanationSource } from './source.ts';

/** The newest mark of each student at each lesson. `clazz_id`, `at` and `counts` are copied from the lesson. */
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

/** SQL of the columns that are copied from the lesson `l`. The lesson is stored before its marks. */
const FROM_LESSON = { clazz_id: 'l.clazz_id', at: 'l.starts_at', counts: "l.status in ('scheduled', 'held')" };
/** `offset 0` makes Postgres search each lesson by key, independent of the planner's statistics. */
const joinLesson = (alias: string, gen: string): string => `cross join lateral (
  select * from lesson
  where org_id = ${alias}.org_id and gen = ${gen} and id = ${alias}.lesson_id offset 0) as l`;

export const marks = projection(MARK, {
  mergeRule: { highest: 'seq' },
  states: function* (batch) {
    for (const { org_id, seq, lesson, marks } of rollCallEvents(batch)) {
      for (const mark of marks) yield { ...mark, org_id, seq, lesson_id: lesson.id };
    }
  },
  added: { join: joinLesson('e', '$1'), columns: FROM_LESSON },
  touched: (states) => ({
    lessons: [...new Map(states.map(({ org_id, lesson_id }) => [lesson_id, { org_id, lesson_id }])).values()],
  }),
});

/**
 * `m.gen` is compared with the lesson's generation, not with $1. With $1 the planner would expect few marks and read
 * all of them for each lesson.
 */
const MOVE_MARKS = statement(`
  update mark as m set ${Object.entries(FROM_LESSON)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')}
  from json_populate_recordset(null::mark, $2) as e ${joinLesson('e', '$1')}
  where m.org_id = l.org_id and m.gen = l.gen and m.lesson_id = l.id`);

/** Updates the marks of moved lessons with the class, time and status of their lessons. */
export const updateMarksOfLessons = (tx: WorkerTransaction, gen: number, moved: readonly LessonKey[]): void => {
  if (moved.length > 0) tx.run(MOVE_MARKS, gen, JSON.stringify(moved));
};

const m = columnsOf('m', MARK);

export const MARKS_OF_LESSON_JOIN = 'm.org_id = l.org_id and m.gen = l.gen and m.lesson_id = l.id';
// Not `<> 0`: if all lessons cost the same, Postgres under row-level security expects no row for `<> 0`.
const CHARGED = 'm.charged_hours > 0';
const BY_CHARGE: SelectedColumns = { counts: m('charged_hours') };
const ID = "m.lesson_id || ' ' || m.student_id";

/** The marks `m` of a subject. Those of a student are found directly, those of other subjects by their lessons. */
const marksOf = (
  subject: Subject,
): Required<Pick<ExplanationSource, 'from' | 'at' | 'clazz' | 'org'>> & Pick<ExplanationSource, 'subject'> => {
  if (subject === 'student') {
    const from = `mark as m join lesson as l on ${MARKS_OF_LESSON_JOIN}`;
    return { from, subject: 'm.student_id', at: 'm.at', clazz: 'm.clazz_id', org: 'm' };
  }
  const { from, ...rest } = lessonsOf(subject);
  return { ...rest, from: `${from} join mark as m on ${MARKS_OF_LESSON_JOIN}` };
};

const markRows = (
  subject: Subject,
  where: readonly string[],
  more: SelectedColumns = {},
): ExplanationSource & { at: string } => {
  const found = marksOf(subject);
  return {
    ...found,
    select: {
      ...LESSON_COLUMNS,
      at: [found.at, MARK.shape.at],
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
    sort: { by: found.at, type: 'timestamptz', id: ID, idType: 'text' },
  };
};

/** All charges of an organization, without a range. They have the order of the lessons, which an index has. */
const { at: _at, ...CONSUMED } = markRows('org', [CHARGED], BY_CHARGE);

/**
 * Columns of a charge as a ledger shows it. Those of a student are in order of time, those of an organization by
 * lesson.
 */
const CHARGE: SelectedColumns = {
  ...BY_CHARGE,
  source: ["'mark'", notNull(p.text().$type<'mark'>())],
  id: [ID, notNull(p.text())],
  at: m('marked_at'),
  clazz_id: m('clazz_id'),
  lesson_id: m('lesson_id'),
  student_id: m('student_id'),
  state: ["'consume'", notNull(p.text())],
};
export const CHARGES: Readonly<Record<'student' | 'org', ExplanationSource>> = {
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

/** The marks of the attendance rate: students who attended, and students who were expected. */
export const attendedMarks = (subject: Subject): ExplanationSource =>
  markRows(subject, [IS_COUNTED, "m.mark in ('present', 'late')"]);
export const expectedMarks = (subject: Subject): ExplanationSource =>
  markRows(subject, [IS_COUNTED, "m.mark in ('present', 'late', 'absent')"]);

export const markExplanations: readonly Explanation[] = [
  ...SUBJECTS.flatMap((subject) => [
    ...MARKS.map((mark) => explanation(mark, subject, markRows(subject, [IS_COUNTED, `m.mark = '${mark}'`]))),
    explanation('numerator', subject, attendedMarks(subject)),
    explanation('denominator', subject, expectedMarks(subject)),
    explanation('hours_consumed', subject, markRows(subject, ["l.status <> 'deleted'", CHARGED], BY_CHARGE)),
  ]),
  explanation('consumed', 'org', CONSUMED),
];
