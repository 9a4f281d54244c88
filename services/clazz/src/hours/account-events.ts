import { clazzEvents, type EventData, fromHundredths, MovedLot, fieldPicker } from '@teaching/contracts';
import { Session } from '@teaching/kit';
import { auditOrg } from '../audit/record-audit.ts';
import { toBatches, lastById } from '../audit/event-batches.ts';
import { AMOUNTS, amountsToDecimals, countedKind } from './amounts.rules.ts';
import type { StudentLedger } from './student-ledger.rules.ts';
import type { LedgerTx } from './ledger.ts';

type AccountsMoved = EventData<typeof clazzEvents.accountsMoved>;
type Account = AccountsMoved['accounts'][number];
type Entry = Account['entries'][number];

/** The balance and the sums as they are stored. */
export const toStoredSums = ({ balance, sums }: StudentLedger) =>
  amountsToDecimals(AMOUNTS.account, { balance, ...sums });

/** The sums that events contain. The others follow from the published entries. */
const publicSums = (ledger: StudentLedger): Pick<Account, 'balance' | 'granted' | 'consumed'> => {
  const { balance, granted, consumed } = toStoredSums(ledger);
  return { balance, granted, consumed };
};

const movedLot = fieldPicker(MovedLot);

/** A ledger as an event contains it: the current account, the new entries and the lots that they changed. */
export const toMovedAccount = (ledger: StudentLedger, clazzOf: ReadonlyMap<string, string>): Account => ({
  student_id: ledger.student_id,
  ...publicSums(ledger),
  entries: ledger.entries.map(({ id, kind, lot_id, amount, lesson_id }): Entry => {
    const entry = { id, kind, lot_id, amount: fromHundredths(amount) };
    const clazz_id = clazzOf.get(lesson_id ?? '');
    if (lesson_id === null) return entry;
    return clazz_id === undefined ? { ...entry, lesson_id } : { ...entry, lesson_id, clazz_id };
  }),
  lots: [...ledger.addedLots, ...ledger.changedLots].map((lot) => movedLot(amountsToDecimals(AMOUNTS.lot, lot))),
});

/** Merges several states of a student's account: the last state, with all entries. */
const merged = (accounts: readonly Account[]): Account[] =>
  [...Map.groupBy(accounts, ({ student_id }) => student_id).values()].flatMap((states) =>
    states.slice(-1).map((last) => ({
      ...last,
      entries: states.flatMap(({ entries }) => entries),
      lots: lastById(states.flatMap(({ lots }) => lots)),
    })),
  );

/** The value of a field that all entries with a lesson share. Null when the values differ, or when there are none. */
const shared = (entries: readonly Entry[], field: 'lesson_id' | 'clazz_id'): string | null => {
  const [only, ...more] = new Set(
    entries.filter(({ lesson_id }) => lesson_id !== undefined).map((entry) => entry[field] ?? null),
  );
  return more.length === 0 ? (only ?? null) : null;
};

const without = (
  { lesson_id, clazz_id, ...entry }: Entry,
  common: { lesson_id: string | null; clazz_id: string | null },
) => ({
  ...entry,
  ...(lesson_id === undefined || common.lesson_id !== null ? {} : { lesson_id }),
  ...(clazz_id === undefined || common.clazz_id !== null ? {} : { clazz_id }),
});

/**
 * Publishes all moved hours of a transaction as one event. Values that all entries share are stored once in the event.
 */
export const publishAccountEvents = (tx: LedgerTx, items: readonly Account[]): void => {
  const accounts = merged(items);
  const entries = accounts.flatMap((account) => account.entries);
  const common = { lesson_id: shared(entries, 'lesson_id'), clazz_id: shared(entries, 'clazz_id') };
  const [only, ...more] = accounts;
  const aggregate = common.clazz_id ?? (more.length === 0 ? only?.student_id : undefined) ?? tx.org_id;
  const shortened = accounts.map((account) => ({
    ...account,
    entries: account.entries.map((entry) => without(entry, common)),
  }));
  for (const part of toBatches(shortened)) {
    tx.emit(clazzEvents.accountsMoved, aggregate, { created_at: tx.now.toISOString(), ...common, accounts: part });
  }
};

/** The counted kinds of entries that a person creates. Charges are audited with their marks. Expiries have no actor. */
const MANUAL_KINDS: ReadonlySet<string> = new Set(['grant', 'adjust', 'refund', 'transfer_out', 'transfer_in']);

const entriesOf = ({ student_id, entries }: StudentLedger) =>
  entries
    .filter((entry) => MANUAL_KINDS.has(countedKind(entry)))
    .map((entry) => {
      const { id, kind, lot_id, amount, balance_before, balance_after, reason } = amountsToDecimals(
        AMOUNTS.entry,
        entry,
      );
      return {
        action: 'create' as const,
        entity: 'entry' as const,
        entity_id: id,
        about: [student_id],
        reason,
        changes: {
          student_id: { before: null, after: student_id },
          kind: { before: null, after: kind },
          lot_id: { before: null, after: lot_id },
          amount: { before: null, after: amount },
          balance: { before: balance_before, after: balance_after },
        },
      };
    });

/** Adds an audit entry of the org for each manual entry of a request. A job creates none. */
export const auditManualEntries = (tx: LedgerTx, ledgers: readonly StudentLedger[]): void => {
  if (tx instanceof Session) auditOrg(tx, ledgers.flatMap(entriesOf));
};
