import { p } from '@mikro-orm/postgresql';
import { always, hundredths } from '@teaching/kit';
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

const ofKind = (kind: string): Source => ({ ...ENTRIES, where: [`a.kind = '${kind}'`] });
const OF_STUDENT = {
  subject: 'a.student_id',
  sort: { by: 'a.created_at', type: 'timestamptz', id: 'a.id', idType: 'uuid' },
} as const;

const GRANTED = ofKind('grant');
const brought = (kind: string): Source => ({ ...ofKind(kind), ...OF_STUDENT });
/** What takes hours counts what it took. */
const taken = (kind: string): Source => ({
  ...brought(kind),
  select: { ...ENTRIES.select, counts: ['-a.amount', always(hundredths())] },
});
/** Entries of expiry; for lots that ran out the entry may be still to come. */
export const EXPIRED = taken('expire');

export const explainedByEntries: readonly Explained[] = [
  explained('granted', 'student', brought('grant')),
  explained('adjusted', 'student', brought('adjust')),
  explained('transferred_in', 'student', brought('transfer_in')),
  explained('transferred_out', 'student', taken('transfer_out')),
  explained('refunded', 'student', taken('refund')),
  explained('granted', 'org', GRANTED),
];
