import { clazzEvents, type EventData } from '@teaching/contracts';
import { eventsOf, type Received, sequenceOf } from '@teaching/kit';
import { HOUR_SUMS } from '../../figures/hours.ts';
import { bySeq, recordKind } from '../record-kind.ts';

interface EntryRow {
  org_id: string;
  id: string;
  student_id: string;
  kind: string;
  amount: string;
  lesson_id: string | null;
  clazz_id: string | null;
  created_at: string;
}

interface AccountRow {
  org_id: string;
  student_id: string;
  granted: string;
  consumed: string;
  balance: string;
  seq: number;
}

interface LotRow {
  org_id: string;
  id: string;
  student_id: string;
  kind: string;
  remaining: string;
  expires_at: string | null;
  seq: number;
}

const ENTRY = {
  org_id: 'uuid',
  id: 'uuid',
  student_id: 'text',
  kind: 'text',
  amount: 'numeric',
  lesson_id: 'uuid',
  clazz_id: 'uuid',
  created_at: 'timestamptz',
} as const;

/** What an account's row was before, beside what it is: the org's sums move by the difference. */
const MOVE_ORG = `
  insert into org_account (gen, org_id, granted, consumed, balance)
  select $1, org_id, sum(granted), sum(consumed), sum(balance) from moved group by org_id
  on conflict (org_id, gen) do update set granted = org_account.granted + excluded.granted,
    consumed = org_account.consumed + excluded.consumed, balance = org_account.balance + excluded.balance`;
const DIFFERENCE = ['granted', 'consumed', 'balance']
  .map((name) => `new.${name} - coalesce(old.${name}, 0) as ${name}`)
  .join(', ');

type Entry = EventData<typeof clazzEvents.accountsMoved>['accounts'][number]['entries'][number];

/** What a lesson cost is known from its mark, and not stored once more. */
const isCharge = (kind: Entry['kind']): boolean => kind === 'consume' || kind === 'reverse';

function* entryRows(batch: readonly Received[]): Iterable<EntryRow> {
  for (const { orgid: org_id, data } of eventsOf(batch, clazzEvents.accountsMoved)) {
    const { created_at } = data;
    for (const { student_id, entries } of data.accounts) {
      for (const { id, kind, amount, lesson_id = null, clazz_id = null } of entries) {
        if (!isCharge(kind)) yield { org_id, id, student_id, kind, amount, lesson_id, clazz_id, created_at };
      }
    }
  }
}

/** Entries but for charges. They never change; they are kept to explain figures, and are not what these are made of. */
export const entries = recordKind<EntryRow>()({
  columns: ENTRY,
  key: ({ id }) => id,
  isLater: () => false,
  states: entryRows,
  store: ({ names, rows }) => `
    insert into entry (gen, ${names}) select $1, ${names} from ${rows} on conflict do nothing`,
});

/**
 * The first version of the event does not tell sums, so they are counted up from its entries, each when it is
 * stored for the first time, as long as no later event has told the account's state (0: none has).
 */
export const entriesAlone = recordKind<EntryRow>()({
  columns: ENTRY,
  key: ({ id }) => id,
  isLater: () => false,
  states: (batch) =>
    eventsOf(batch, clazzEvents.hoursMoved).flatMap(({ orgid: org_id, data: { student_id, entries: told } }) =>
      told.map(({ id, kind, amount, lesson_id, clazz_id, created_at }) => {
        return { org_id, id, student_id, kind, amount, lesson_id, clazz_id, created_at };
      }),
    ),
  store: ({ names, rows }) => `
    with stored as (
      insert into entry (gen, ${names}) select $1, ${names} from ${rows}
      on conflict do nothing returning org_id, student_id, kind, amount
    ), moved as (
      insert into account (gen, org_id, student_id, granted, consumed, balance, seq)
      select $1, org_id, student_id, ${HOUR_SUMS}, 0 from stored group by org_id, student_id
      on conflict (student_id, org_id, gen) do update set granted = account.granted + excluded.granted,
        consumed = account.consumed + excluded.consumed, balance = account.balance + excluded.balance
        where account.seq = 0
      returning new.org_id, ${DIFFERENCE}
    ) ${MOVE_ORG}`,
});

/** What an account knew after its last entries. Stored after entries that come alone. */
export const accounts = recordKind<AccountRow>()({
  columns: {
    org_id: 'uuid',
    student_id: 'text',
    granted: 'numeric',
    consumed: 'numeric',
    balance: 'numeric',
    seq: 'bigint',
  },
  key: ({ student_id }) => student_id,
  isLater: bySeq,
  states: (batch) =>
    eventsOf(batch, clazzEvents.accountsMoved).flatMap((event) =>
      event.data.accounts.map(({ student_id, granted, consumed, balance }) => {
        return { org_id: event.orgid, student_id, granted, consumed, balance, seq: sequenceOf(event) };
      }),
    ),
  store: ({ names, rows, replaced }) => `
    with moved as (
      insert into account (gen, ${names}) select $1, ${names} from ${rows}
      on conflict (student_id, org_id, gen) do update set ${replaced} where account.seq < excluded.seq
      returning new.org_id, ${DIFFERENCE}
    ) ${MOVE_ORG}`,
});

function* lotRows(batch: readonly Received[]): Iterable<LotRow> {
  const told = [
    ...eventsOf(batch, clazzEvents.hoursMoved).map((event) => ({ event, accounts: [event.data] })),
    ...eventsOf(batch, clazzEvents.accountsMoved).map((event) => ({ event, accounts: event.data.accounts })),
  ];
  for (const { event, accounts: moved } of told) {
    const common = { org_id: event.orgid, seq: sequenceOf(event) };
    for (const { student_id, lots: states } of moved) {
      for (const { id, kind, remaining, expires_at } of states) {
        if (expires_at !== null) yield { ...common, id, student_id, kind, remaining, expires_at };
      }
    }
  }
}

/** Lots that run out one day; of others no answer needs more than their account. */
export const lots = recordKind<LotRow>()({
  columns: {
    org_id: 'uuid',
    id: 'uuid',
    student_id: 'text',
    kind: 'text',
    remaining: 'numeric',
    expires_at: 'timestamptz',
    seq: 'bigint',
  },
  key: ({ id }) => id,
  isLater: bySeq,
  states: lotRows,
  store: ({ names, rows, replaced }) => `
    insert into lot (gen, ${names}) select $1, ${names} from ${rows}
    on conflict (org_id, gen, id) do update set ${replaced} where lot.seq < excluded.seq`,
});
