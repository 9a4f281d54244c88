import { clazzEvents, ENTRY_KINDS, type EventData } from '@teaching/contracts';
import { notNull, eventsOf, hundredths, instant, p, type ReceivedEvent, table } from '@teaching/kit';
import {
  ACCOUNT_DIFFERENCE,
  ACCOUNT_SUMS,
  HOUR_SUMS,
  KIND_SUMS,
  moveOrgAccount,
  SUMS_BY_KIND,
} from '../figures/hour-sums.ts';
import { type Explanation, explanation } from './explanation.ts';
import { projection } from './projection.ts';
import { columnsOf, type Source } from './source.ts';

/** Entries of hour ledgers. They never change; they explain figures, and are not what these are made of. */
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
/** By how much accounts moved, and the entries of each kind. */
const ALL_SUMS = `
  select org_id, ${ACCOUNT_SUMS.join(', ')}, ${zeros(KIND_SUMS)} from moved
  union all
  select org_id, ${zeros(ACCOUNT_SUMS)}, ${SUMS_BY_KIND} from stored group by org_id`;

/**
 * The first version of the event does not tell sums, so they are counted up from its entries, each when it is
 * stored for the first time, as long as no later event has told the account's state (0: none has).
 */
export const entriesWithoutSums = projection(ENTRY, {
  keeps: 'first',
  states: (batch) =>
    eventsOf(batch, clazzEvents.hoursMoved).flatMap(({ orgid: org_id, data: { student_id, entries: told } }) =>
      told.map((entry) => ({ ...entry, org_id, student_id })),
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
    ) ${moveOrgAccount(gen, ALL_SUMS, [...ACCOUNT_SUMS, ...KIND_SUMS])}`,
});

type Entry = EventData<typeof clazzEvents.accountsMoved>['accounts'][number]['entries'][number];

/** What a lesson cost is known from its mark, and not stored once more. */
const isCharge = ({ kind }: Entry): boolean => kind === 'consume' || kind === 'reverse';

function* states(batch: readonly ReceivedEvent[]) {
  for (const { orgid: org_id, data } of eventsOf(batch, clazzEvents.accountsMoved)) {
    const { created_at } = data;
    for (const { student_id, entries: told } of data.accounts) {
      for (const { lesson_id = null, clazz_id = null, ...entry } of told) {
        if (!isCharge(entry)) yield { ...entry, lesson_id, clazz_id, org_id, student_id, created_at };
      }
    }
  }
}

/** Entries but for charges, of events that tell sums, too: those of each kind are added for the organization. */
export const entries = projection(ENTRY, {
  keeps: 'first',
  states,
  store: (upsert, gen) => `
    with stored as (${upsert} returning org_id, kind, amount)
    ${moveOrgAccount(gen, `select org_id, ${SUMS_BY_KIND} from stored group by org_id`, KIND_SUMS)}`,
});

const a = columnsOf('a', ENTRY);

/** Entries but for charges, which stand with their marks; by student, as they are kept. */
export const ENTRIES: Source = {
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
  where: ["a.kind not in ('consume', 'reverse')"],
  clazz: 'a.clazz_id',
  org: 'a',
  sort: { by: 'a.student_id', type: 'text', id: 'a.id', idType: 'uuid' },
};

const brought = (kind: string): Source => ({ ...ENTRIES, where: [`a.kind = '${kind}'`] });
/** What takes hours counts what it took. */
const taken = (kind: string): Source => ({
  ...brought(kind),
  select: { ...ENTRIES.select, counts: ['-a.amount', notNull(hundredths())] },
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

export const explainedByEntries: readonly Explanation[] = (Object.keys(BY_KIND) as (keyof typeof BY_KIND)[]).flatMap(
  (figure) => [explanation(figure, 'student', ofStudent(BY_KIND[figure])), explanation(figure, 'org', BY_KIND[figure])],
);
