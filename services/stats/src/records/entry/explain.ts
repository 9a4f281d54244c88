import { always, hundredths, p } from '@teaching/kit';
import { type Explained, explained } from '../explained.ts';
import { columnsOf, type Source } from '../source.ts';
import { ENTRY } from './table.ts';

const a = columnsOf('a', ENTRY);

/** Entries but for charges, which stand with their marks; by student, as they are kept. */
export const ENTRIES: Source = {
  from: 'entry as a',
  select: {
    source: ["'entry'", always(p.text().$type<'entry'>())],
    id: ['a.id::text', always(p.text())],
    counts: a('amount'),
    at: a('created_at'),
    clazz_id: a('clazz_id'),
    lesson_id: a('lesson_id'),
    student_id: a('student_id'),
    state: a('kind'),
  },
  where: ["a.kind not in ('consume', 'reverse')"],
  clazz: 'a.clazz_id',
  org: 'a',
  sort: { by: 'a.student_id', type: 'text', id: 'a.id', idType: 'uuid' },
};

const brought = (kind: string): Source => ({ ...ENTRIES, where: [`a.kind = '${kind}'`] });
/** What takes hours counts what it took. */
const taken = (kind: string): Source => ({
  ...brought(kind),
  select: { ...ENTRIES.select, counts: ['-a.amount', always(hundredths())] },
});
/** Of one student as they came. */
export const ofStudent = (source: Source): Source => ({
  ...source,
  subject: 'a.student_id',
  sort: { by: 'a.created_at', type: 'timestamptz', id: 'a.id', idType: 'uuid' },
});
/** Entries of expiry; for lots that ran out the entry may be still to come. */
export const EXPIRED = taken('expire');

const BY_KIND = {
  granted: brought('grant'),
  adjusted: brought('adjust'),
  transferred_in: brought('transfer_in'),
  transferred_out: taken('transfer_out'),
  refunded: taken('refund'),
} as const;

export const explainedByEntries: readonly Explained[] = (Object.keys(BY_KIND) as (keyof typeof BY_KIND)[]).flatMap(
  (figure) => [explained(figure, 'student', ofStudent(BY_KIND[figure])), explained(figure, 'org', BY_KIND[figure])],
);
