import { always, p } from '@teaching/kit';
import { type Explained, explained } from '../explained.ts';
import { columnsOf, type Source } from '../source.ts';
import { LOT } from './table.ts';

const a = columnsOf('a', LOT);

const OPEN: Omit<Source, 'where'> = {
  from: 'lot as a',
  select: {
    source: ["'lot'", always(p.text().$type<'lot'>())],
    id: ['a.id::text', always(p.text())],
    counts: a('remaining'),
    at: a('expires_at'),
    student_id: a('student_id'),
    state: a('kind'),
  },
  org: 'a',
  sort: { by: 'a.expires_at', type: 'timestamptz', id: 'a.id', idType: 'uuid' },
};

/** A lot that has run out takes away what the ledger still shows. */
export const RAN_OUT: Source = {
  ...OPEN,
  select: {
    ...OPEN.select,
    counts: ['-a.remaining', always(p.decimal())],
    state: ["'expired'", always(p.text())],
  },
  where: ['a.open and a.expires_at <= clock.now'],
};

/** The same as hours that expired. */
export const RUN_OUT: Source = { ...RAN_OUT, select: { ...RAN_OUT.select, counts: a('remaining') } };

/** Lots that run out within 30 days. */
const EXPIRING: Source = {
  ...OPEN,
  where: ["a.open and a.expires_at > clock.now and a.expires_at <= clock.now + interval '30 days'"],
};

export const explainedByLots: readonly Explained[] = [
  explained('expiring_30d', 'student', { ...EXPIRING, subject: 'a.student_id' }),
  explained('expiring_30d', 'org', EXPIRING),
];
