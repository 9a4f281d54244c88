import { MARKS } from '@teaching/contracts';
import { always, p } from '@teaching/kit';
import { type Explained, explained, type Subject, SUBJECTS } from '../explained.ts';
import { COUNTS, LESSON_COLUMNS, lessonsOf } from '../lesson/explain.ts';
import { columnsOf, type Selected, type Source } from '../source.ts';
import { MARK } from './table.ts';

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

const marks = (subject: Subject, where: readonly string[], more: Selected = {}): Source & { at: string } => {
  const place = marksOf(subject);
  return {
    ...place,
    select: {
      ...LESSON_COLUMNS,
      at: [place.at, MARK.shape.at],
      source: ["'mark'", always(p.text().$type<'mark'>())],
      id: [ID, always(p.text())],
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
const { at: _whenever, ...CONSUMED } = marks('org', [CHARGED], BY_CHARGE);

/** What lessons have cost, as a ledger shows it: of a student as it came, of an organization by its lessons. */
const CHARGE: Selected = {
  ...BY_CHARGE,
  source: ["'mark'", always(p.text().$type<'mark'>())],
  id: [ID, always(p.text())],
  at: m('marked_at'),
  clazz_id: m('clazz_id'),
  lesson_id: m('lesson_id'),
  student_id: m('student_id'),
  state: ["'consume'", always(p.text())],
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
export const attended = (subject: Subject): Source => marks(subject, [COUNTS, "m.mark in ('present', 'late')"]);
export const expected = (subject: Subject): Source =>
  marks(subject, [COUNTS, "m.mark in ('present', 'late', 'absent')"]);

export const explainedByMarks: readonly Explained[] = [
  ...SUBJECTS.flatMap((subject) => [
    ...MARKS.map((mark) => explained(mark, subject, marks(subject, [COUNTS, `m.mark = '${mark}'`]))),
    explained('numerator', subject, attended(subject)),
    explained('denominator', subject, expected(subject)),
    explained('hours_consumed', subject, marks(subject, ["l.status <> 'deleted'", CHARGED], BY_CHARGE)),
  ]),
  explained('consumed', 'org', CONSUMED),
];
