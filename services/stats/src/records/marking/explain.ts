import { always, bigint, p } from '@teaching/kit';
import { secondsOf } from '../../figures/turnaround.ts';
import { type Explained, explained } from '../explained.ts';
import { columnsOf, type Source } from '../source.ts';
import { MARKING } from './table.ts';

const a = columnsOf('a', MARKING);

const MARKED: Source = {
  from: 'marking as a',
  select: {
    source: ["'marking'", always(p.text().$type<'marking'>())],
    id: ['a.submission_id::text', always(p.text())],
    at: a('marked_at'),
    clazz_id: a('clazz_id'),
    student_id: a('student_id'),
    teacher_id: a('marker_id'),
    by: a('marker_id'),
    done_at: a('marked_at'),
    revision: a('revision'),
  },
  where: [],
  at: 'a.marked_at',
  clazz: 'a.clazz_id',
  org: 'a',
  sort: { by: 'a.marked_at', type: 'timestamptz', id: 'a.submission_id', idType: 'uuid' },
};

/** How long each took. */
const TOOK: Source = {
  ...MARKED,
  select: { ...MARKED.select, counts: [secondsOf('a'), always(bigint())] },
};

export const explainedByMarkings: readonly Explained[] = [
  explained('markings', 'teacher', { ...MARKED, subject: 'a.marker_id' }),
  explained('markings', 'org', MARKED),
  explained('marking_turnaround', 'teacher', { ...TOOK, subject: 'a.marker_id' }),
  explained('marking_turnaround', 'org', TOOK),
];
