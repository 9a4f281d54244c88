import { always, orNull, p } from '@teaching/kit';
import { type Explained, explained, type Subject } from '../explained.ts';
import { ROLL_CALL } from '../roll-call/table.ts';
import { columnsOf, type Selected, type Source } from '../source.ts';
import { LESSON } from './table.ts';

const l = columnsOf('l', LESSON);

export const LESSON_OF = (alias: string): string =>
  `l.org_id = ${alias}.org_id and l.gen = ${alias}.gen and l.clazz_id = ${alias}.clazz_id`;
export const COUNTS = "l.status in ('scheduled', 'held')";
export const HELD = "l.status = 'held'";
const IN_TIME = "r.taken_at <= l.ends_at + interval '24 hours'";
const { taken_at } = ROLL_CALL.shape;

/** Of a lesson `l`. */
export const LESSON_COLUMNS = {
  at: l('starts_at'),
  clazz_id: l('clazz_id'),
  lesson_id: l('id'),
  teacher_id: l('teacher_id'),
} as const satisfies Selected;

/** The lessons `l` of a subject: found by the figures of a teacher, by the class, or by time. */
export const lessonsOf = (
  subject: Subject,
): Required<Pick<Source, 'from' | 'at' | 'clazz' | 'org'>> & Pick<Source, 'subject'> => {
  const common = { at: 'l.starts_at', clazz: 'l.clazz_id', org: 'l' };
  if (subject === 'teacher') {
    const from = `clazz_figure as f join lesson as l on ${LESSON_OF('f')} and l.starts_at = f.at and l.teacher_id = f.teacher_id`;
    return { ...common, from, at: 'f.at', subject: 'f.teacher_id' };
  }
  if (subject === 'clazz') return { ...common, from: 'lesson as l', subject: 'l.clazz_id' };
  // States the condition of the index by time, which is true of every lesson and hides it from all who search by key:
  // without it, on tables not yet analyzed, they take its `(org_id, gen)`, and 100 roll calls go from 50 ms to 4 s.
  return { ...common, from: '(select * from lesson where hours >= 0) as l' };
};

const lessons = (subject: Subject, where: readonly string[], more: Selected = {}): Source => {
  const { from, ...rest } = lessonsOf(subject);
  return {
    ...rest,
    from: `${from} left join roll_call as r on r.org_id = l.org_id and r.gen = l.gen and r.lesson_id = l.id`,
    select: {
      ...LESSON_COLUMNS,
      source: ["'lesson'", always(p.text().$type<'lesson'>())],
      id: ['l.id::text', always(p.text())],
      state: l('status'),
      done_at: ['r.taken_at', orNull({ taken_at }).taken_at],
      revision: l('version'),
      ...more,
    },
    where,
    sort: { by: rest.at, type: 'timestamptz', id: 'l.id', idType: 'uuid' },
  };
};

/** Lessons of everybody but students: theirs are their seats. */
export const explainedByLessons: readonly Explained[] = (['teacher', 'clazz', 'org'] as const).flatMap((subject) => [
  explained('scheduled', subject, lessons(subject, [COUNTS])),
  explained('held', subject, lessons(subject, [HELD])),
  explained('lessons_taught', subject, lessons(subject, [HELD])),
  explained('roll_calls', subject, lessons(subject, [HELD])),
  explained('roll_calls_in_time', subject, lessons(subject, [HELD, IN_TIME], { done_at: ['r.taken_at', taken_at] })),
  explained('hours_taught', subject, lessons(subject, [HELD], { counts: l('hours') })),
]);
