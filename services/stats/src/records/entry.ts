import { clazzEvents, ENTRY_KINDS, type EventData } from '@teaching/contracts';
import { notNull, eventsOf, hundredths, instant, p, type ReceivedEvent, table } from '@teaching/kit';
import {
  ACCOUNT_DIFFERENCE,
  ACCOUNT_SUMS,
  HOUR_SUMS,
  KIND_SUMS,
  addToOrgAccount,
  SUMS_BY_KIND,
} from '../figures/hour-sums.ts';
import { type Explanation, explanation } from './explanation.ts';
import { projection } from './projection.ts';
import { columnsOf, type ExplanationSource } from './source.ts';

/**
 * Entries of hour ledgers. They never change. They explain the figures of an account; its sums are stored separately.
 */
const ENTRY = table('entry', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  id: p.uuid().primary(),
  student_id: p.text().primary(),
  kind: p.enum(ENTRY_KINDS),
  amount: hundredths(),
  lesson_id: p.uuid().nullable(),
  clazz_id: p.uuid().nullable(),
  created_at: instant(),
});

const zeros = (names: readonly string[]): string => names.map((name) => `0 as ${name}`).join(', ');
/** SQL of the changes of accounts, and of the sums of entries by kind. */
const ALL_SUMS = `
  select org_id, ${ACCOUNT_SUMS.join(', ')}, ${zeros(KIND_SUMS)} from moved
  union all
  select org_id, ${zeros(ACCOUNT_SUMS)}, ${SUMS_BY_KIND} from stored group by org_id`;

/**
 * Entries of the first version of the event, which contains no sums. The sums of the account are added up from entries
 * that are stored for the first time, until an event with the sums has arrived (`seq` 0: none has).
 */
export const entriesWithoutSums = projection(ENTRY, {
  mergeRule: 'first',
  states: (batch) =>
    eventsOf(batch, clazzEvents.hoursMoved).flatMap(({ orgid: org_id, data: { student_id, entries: moved } }) =>
      moved.map((entry) => ({ ...entry, org_id, student_id })),
    ),
  store: (upsert, gen) => `
    with stored as (
      ${upsert} returning org_id, student_id, kind, amount
    ), moved as (
      insert into account (gen, org_id, student_id, granted, consumed, balance, seq)
      select ${gen}, org_id, student_id, ${HOUR_SUMS}, 0 from stored group by org_id, student_id
      on conflict (student_id, org_id, gen) do update set granted = account.granted + excluded.granted,
        consumed = account.consumed + excluded.consumed, balance = account.balance + excluded.balance
        where account.seq = 0
      returning new.org_id, ${ACCOUNT_DIFFERENCE}
    ) ${addToOrgAccount(gen, ALL_SUMS, [...ACCOUNT_SUMS, ...KIND_SUMS])}`,
});

type Entry = EventData<typeof clazzEvents.accountsMoved>['accounts'][number]['entries'][number];

/**
 * Whether an entry charges a lesson or reverses its charge. Charges are stored with the mark, not as entries. A reversal
 * without a lesson undoes a grant.
 */
const isCharge = ({ kind, lesson_id }: Entry, ofAll: string | null): boolean =>
  kind === 'consume' || (kind === 'reverse' && (lesson_id ?? ofAll) !== null);

function* states(batch: readonly ReceivedEvent[]) {
  for (const { orgid: org_id, data } of eventsOf(batch, clazzEvents.accountsMoved)) {
    const { created_at } = data;
    for (const { student_id, entries: moved } of data.accounts) {
      for (const entry of moved.filter((it) => !isCharge(it, data.lesson_id))) {
        yield { lesson_id: null, clazz_id: null, ...entry, org_id, student_id, created_at };
      }
    }
  }
}

/** Entries, without charges, of events that also contain sums. The sums by kind are added to the organization's. */
export const entries = projection(ENTRY, {
  mergeRule: 'first',
  states,
  store: (upsert, gen) => `
    with stored as (${upsert} returning org_id, kind, amount)
    ${addToOrgAccount(gen, `select org_id, ${SUMS_BY_KIND} from stored group by org_id`, KIND_SUMS)}`,
});

const a = columnsOf('a', ENTRY);

/** Entries without charges, which have a lesson and are stored with their marks. Ordered by student, as in the primary key. */
export const ENTRIES: ExplanationSource = {
  from: 'entry as a',
  select: {
    source: ["'entry'", notNull(p.text().$type<'entry'>())],
    id: ['a.id::text', notNull(p.text())],
    counts: a('amount'),
    at: a('created_at'),
    clazz_id: a('clazz_id'),
    lesson_id: a('lesson_id'),
    student_id: a('student_id'),
    state: a('kind'),
  },
  where: ['a.lesson_id is null'],
  clazz: 'a.clazz_id',
  org: 'a',
  sort: { by: 'a.student_id', type: 'text', id: 'a.id', idType: 'uuid' },
};

const entriesOf = (kind: string): ExplanationSource => ({ ...ENTRIES, where: [`a.kind = '${kind}'`] });
/** Entries that take hours. `counts` is the number of hours taken, as a positive number. */
const hoursTaken = (kind: string): ExplanationSource => ({
  ...entriesOf(kind),
  select: { ...ENTRIES.select, counts: ['-a.amount', notNull(hundredths())] },
});
/** The entries of one student, in order of time. */
export const entriesOfStudent = (source: ExplanationSource): ExplanationSource => ({
  ...source,
  subject: 'a.student_id',
  sort: { by: 'a.created_at', type: 'timestamptz', id: 'a.id', idType: 'uuid' },
});
/** `expire` entries. The entry of an expired lot may not exist yet. */
export const EXPIRE_ENTRIES = hoursTaken('expire');

const BY_KIND = {
  granted: { ...ENTRIES, where: ["a.kind in ('grant', 'reverse')", ...ENTRIES.where] },
  adjusted: entriesOf('adjust'),
  transferred_in: entriesOf('transfer_in'),
  transferred_out: hoursTaken('transfer_out'),
  refunded: hoursTaken('refund'),
} as const;

export const entryExplanations: readonly Explanation[] = (Object.keys(BY_KIND) as (keyof typeof BY_KIND)[]).flatMap(
  (figure) => [
    explanation(figure, 'student', entriesOfStudent(BY_KIND[figure])),
    explanation(figure, 'org', BY_KIND[figure]),
  ],
);
