import { always, p } from '@teaching/kit';
import { type Explained, explained } from '../explained.ts';
import { columnsOf, type Source } from '../source.ts';
import { LEAVE } from './table.ts';

const a = columnsOf('a', LEAVE);

/** Decided leave, where it was decided last. */
const DECIDED: Source = {
  from: 'leave as a',
  select: {
    source: ["'leave'", always(p.text().$type<'leave'>())],
    id: ['a.id::text', always(p.text())],
    at: a('decided_at'),
    clazz_id: a('clazz_id'),
    lesson_id: a('lesson_id'),
    student_id: a('student_id'),
    teacher_id: a('decided_by'),
    state: a('status'),
    by: a('decided_by'),
    done_at: a('decided_at'),
  },
  where: ['a.decided_by is not null'],
  at: 'a.decided_at',
  clazz: 'a.clazz_id',
  org: 'a',
  sort: { by: 'a.decided_at', type: 'timestamptz', id: 'a.id', idType: 'uuid' },
};

export const explainedByLeaves: readonly Explained[] = [
  explained('leave_handled', 'teacher', { ...DECIDED, subject: 'a.decided_by' }),
  explained('leave_handled', 'org', DECIDED),
];
