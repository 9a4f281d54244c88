import { clazzEvents } from '@teaching/contracts';
import { notNull, bigint, eventsOf, hundredths, instant, p, sequenceOf, table } from '@teaching/kit';
import { hourSumColumn } from '../figures/figures.table.ts';
import { ACCOUNT_DIFFERENCE, ACCOUNT_SUMS, addToOrgAccount } from '../figures/hour-sums.ts';
import { ENTRIES, EXPIRE_ENTRIES, entriesOfStudent } from './entry.ts';
import { type Explanation, explanation, explanationInParts } from './explanation.ts';
import { EXPIRED_LOTS_SUBTRACTED, EXPIRED_LOTS } from './lot.ts';
import { CHARGES } from './mark.ts';
import { projection } from './projection.ts';
import type { ExplanationSource } from './source.ts';

/**
 * The sums of a student's account after its last entries. `seq` 0: the sums are added up from entries, because no event
 * with the sums has arrived yet.
 */
const ACCOUNT = table('account', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  student_id: p.text().primary(),
  granted: hourSumColumn(),
  consumed: hourSumColumn(),
  balance: hourSumColumn(),
  seq: bigint(),
});

export const accounts = projection(ACCOUNT, {
  mergeRule: { highest: 'seq' },
  states: (batch) =>
    eventsOf(batch, clazzEvents.accountsMoved).flatMap((event) =>
      event.data.accounts.map((account) => ({ ...account, org_id: event.orgid, seq: sequenceOf(event) })),
    ),
  store: (upsert, gen) =>
    `with moved as (${upsert} returning new.org_id, ${ACCOUNT_DIFFERENCE}) ${addToOrgAccount(gen, 'select * from moved', ACCOUNT_SUMS)}`,
});

/** All changes of a student's balance, in order of time. */
const BALANCE_CHANGES: ExplanationSource = {
  from: `(
    select 'entry' as source, id::text, org_id, gen, student_id, kind, amount, lesson_id, clazz_id, created_at as at
    from entry where lesson_id is null
    union all
    select 'mark', lesson_id || ' ' || student_id, org_id, gen, student_id, 'consume', -charged_hours, lesson_id, clazz_id,
      marked_at
    from mark where charged_hours > 0
    union all
    select 'lot', id::text, org_id, gen, student_id, 'expired', -remaining, null, null, expires_at from lot
    where open and expires_at is not null
  ) as a`,
  select: {
    source: ['a.source', notNull(p.text().$type<'entry' | 'lot' | 'mark'>())],
    id: ['a.id', notNull(p.text())],
    counts: ['a.amount', notNull(hundredths())],
    at: ['a.at', notNull(instant())],
    clazz_id: ['a.clazz_id', p.uuid().nullable()],
    lesson_id: ['a.lesson_id', p.uuid().nullable()],
    student_id: ['a.student_id', notNull(p.text())],
    state: ['a.kind', notNull(p.text())],
  },
  // Restricts lots to expired ones. Entries and marks are always in the past.
  where: ['a.at <= clock.now'],
  subject: 'a.student_id',
  clazz: 'a.clazz_id',
  org: 'a',
  sort: { by: 'a.at', type: 'timestamptz', id: 'a.id', idType: 'text' },
};

/** The charges of an organization's lessons, as negative changes of the balance. */
const CHARGED: ExplanationSource = {
  ...CHARGES.org,
  select: { ...CHARGES.org.select, counts: ['-m.charged_hours', notNull(hundredths())] },
};

export const accountExplanations: readonly Explanation[] = [
  explanation('consumed', 'student', CHARGES.student),
  explanation('remaining', 'student', BALANCE_CHANGES),
  explanationInParts('expired', 'student', [
    entriesOfStudent(EXPIRE_ENTRIES),
    { ...EXPIRED_LOTS, subject: 'a.student_id' },
  ]),
  explanationInParts('expired', 'org', [EXPIRE_ENTRIES, EXPIRED_LOTS]),
  explanationInParts('remaining', 'org', [ENTRIES, EXPIRED_LOTS_SUBTRACTED, CHARGED]),
];
