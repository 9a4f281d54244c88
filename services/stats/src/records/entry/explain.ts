import { p } from '@mikro-orm/postgresql';
import { always, hundredths, instant } from '@teaching/kit';
import { type Explained, explained, type Selected, type Source } from '../explained.ts';

/** Rows `a` about hours, of an account as it stands now: they know no range. */
export const HOURS: Omit<Source, 'from' | 'where'> = {
  select: {
    source: ['a.source', always(p.text().$type<'entry' | 'lot' | 'mark'>())],
    id: ['a.id', always(p.text())],
    counts: ['a.amount', always(hundredths())],
    at: ['a.at', always(instant())],
    clazz_id: ['a.clazz_id', p.uuid().nullable()],
    lesson_id: ['a.lesson_id', p.uuid().nullable()],
    student_id: ['a.student_id', always(p.text())],
    state: ['a.kind', always(p.text())],
  },
  clazz: 'a.clazz_id',
  org: 'a',
  sort: { by: 'a.at', type: 'timestamptz', id: 'a.id' },
};

/** All that moves a balance. What a lesson cost stands with its mark, and is no entry here. */
const MOVES = `(
  select 'entry' as source, id::text, org_id, gen, student_id, kind, amount, lesson_id, clazz_id, created_at as at
  from entry where kind not in ('consume', 'reverse')
  union all
  select 'mark', lesson_id || ' ' || student_id, org_id, gen, student_id, 'consume', -charged_hours, lesson_id, clazz_id,
    marked_at
  from mark where charged_hours <> 0
  union all
  select 'lot', id::text, org_id, gen, student_id, 'expired', -remaining, null, null, expires_at from lot
  where open and expires_at is not null
) as a`;
/** A lot that has run out takes away what the ledger still shows; entries are of the past anyway. */
const PAST = 'a.at <= clock.now';

const moves = (where: readonly string[], more: Selected = {}): Source => ({
  ...HOURS,
  from: MOVES,
  where: [PAST, ...where],
  select: { ...HOURS.select, ...more },
});
const ofStudent = { subject: 'a.student_id' };
/** An organization's entries are kept by student. */
const byStudent = { sort: { by: 'a.student_id', type: 'text', id: "a.at || ' ' || a.id" } };

const GRANTED = moves(["a.kind = 'grant'"]);
const CONSUMED = moves(["a.kind = 'consume'"], { counts: ['-a.amount', always(hundredths())] });
const REMAINING = moves([]);

export const explainedByEntries: readonly Explained[] = [
  explained('granted', 'student', { ...GRANTED, ...ofStudent }),
  explained('granted', 'org', { ...GRANTED, ...byStudent }),
  explained('consumed', 'student', { ...CONSUMED, ...ofStudent }),
  explained('remaining', 'student', { ...REMAINING, ...ofStudent }),
  explained('remaining', 'org', { ...REMAINING, ...byStudent }),
];
