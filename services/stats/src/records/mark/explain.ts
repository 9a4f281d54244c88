import { p } from '@mikro-orm/postgresql';
import { MARKS } from '@teaching/contracts';
import { always } from '@teaching/kit';
import { type Explained, explained, type Selected, type Source, type Subject, SUBJECTS } from '../explained.ts';
import { COUNTS, LESSON_COLUMNS, lessonsOf } from '../lesson/explain.ts';
import { MARK } from './table.ts';

export const MARK_OF = 'm.org_id = l.org_id and m.gen = l.gen and m.lesson_id = l.id';
const CHARGED: Selected = { counts: ['m.charged_hours', MARK.shape.charged_hours] };

/** Of a student by the marks themselves, of others by their lessons. */
const marksOf = (subject: Subject): ReturnType<typeof lessonsOf> => {
  if (subject === 'student') {
    const from = `mark as m join lesson as l on ${MARK_OF}`;
    return { from, subject: 'm.student_id', at: 'm.at', clazz: 'm.clazz_id', org: 'm' };
  }
  const { from, ...rest } = lessonsOf(subject);
  return { ...rest, from: `${from} join mark as m on ${MARK_OF}` };
};

const marks = (subject: Subject, where: readonly string[], more: Selected = {}): Source => {
  const { at = '', ...rest } = marksOf(subject);
  return {
    ...rest,
    at,
    select: {
      ...LESSON_COLUMNS,
      at: [at, MARK.shape.at],
      source: ["'mark'", always(p.text().$type<'mark'>())],
      id: ["l.id || ' ' || m.student_id", always(p.text())],
      student_id: ['m.student_id', MARK.shape.student_id],
      state: ['m.mark', MARK.shape.mark],
      by: ['m.marked_by', MARK.shape.marked_by],
      done_at: ['m.marked_at', MARK.shape.marked_at],
      revision: ['m.revision', MARK.shape.revision],
      ...more,
    },
    where,
    sort: { by: at, type: 'timestamptz', id: "l.id || ' ' || m.student_id" },
  };
};

/** What lessons have cost an organization so far, in the order of the lessons, which an index has. */
const consumed = (): Source => {
  const { at: _at, ...rest } = marks('org', ['m.charged_hours <> 0'], CHARGED);
  return rest;
};

export const explainedByMarks: readonly Explained[] = [
  ...SUBJECTS.flatMap((subject) => [
    ...MARKS.map((mark) => explained(mark, subject, marks(subject, [COUNTS, `m.mark = '${mark}'`]))),
    explained('numerator', subject, marks(subject, [COUNTS, "m.mark in ('present', 'late')"])),
    explained('denominator', subject, marks(subject, [COUNTS, "m.mark in ('present', 'late', 'absent')"])),
    explained('hours_consumed', subject, marks(subject, ["l.status <> 'deleted'", 'm.charged_hours <> 0'], CHARGED)),
  ]),
  explained('consumed', 'org', consumed()),
];
