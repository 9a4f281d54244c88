import { clazzEvents, type EventData, fromHundredths, MovedLot, fieldPicker } from '@teaching/contracts';
import { Session } from '@teaching/kit';
import { auditOfOrg } from '../audit/record-audit.ts';
import { inBatches, lastById } from '../audit/event-batches.ts';
import { AMOUNTS, asDecimals } from './amounts.rules.ts';
import type { Book } from './book.rules.ts';
import type { LedgerTx } from './ledger.ts';

type AccountsMoved = EventData<typeof clazzEvents.accountsMoved>;
type Account = AccountsMoved['accounts'][number];
type Entry = Account['entries'][number];

/** Balance and sums as they are stored. */
export const sumsOf = ({ balance, sums }: Book) => asDecimals(AMOUNTS.account, { balance, ...sums });

/** Those that events contain; the others are the sums of published entries. */
const publicSums = (book: Book): Pick<Account, 'balance' | 'granted' | 'consumed'> => {
  const { balance, granted, consumed } = sumsOf(book);
  return { balance, granted, consumed };
};

const movedLot = fieldPicker(MovedLot);

/** What an event contains of a book: the account as it is now, the new entries, and the lots they touched. */
export const accountOf = (book: Book, clazzOf: ReadonlyMap<string, string>): Account => ({
  student_id: book.student_id,
  ...publicSums(book),
  entries: book.entries.map(({ id, kind, lot_id, amount, lesson_id }): Entry => {
    const entry = { id, kind, lot_id, amount: fromHundredths(amount) };
    const clazz_id = clazzOf.get(lesson_id ?? '');
    if (lesson_id === null) return entry;
    return clazz_id === undefined ? { ...entry, lesson_id } : { ...entry, lesson_id, clazz_id };
  }),
  lots: [...book.addedLots, ...book.changedLots].map((lot) => movedLot(asDecimals(AMOUNTS.lot, lot))),
});

/** A student whose hours moved twice: the later state, and all entries. */
const merged = (accounts: readonly Account[]): Account[] =>
  [...Map.groupBy(accounts, ({ student_id }) => student_id).values()].flatMap((states) =>
    states.slice(-1).map((last) => ({
      ...last,
      entries: states.flatMap(({ entries }) => entries),
      lots: lastById(states.flatMap(({ lots }) => lots)),
    })),
  );

/** The one value of a field that all entries with a lesson share; `null` when they differ, or there are none. */
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

/** Emits all hours that a transaction moved as one event. What its entries have in common stands in it once. */
export const publishAccountEvents = (tx: LedgerTx, items: readonly Account[]): void => {
  const accounts = merged(items);
  const entries = accounts.flatMap((account) => account.entries);
  const common = { lesson_id: shared(entries, 'lesson_id'), clazz_id: shared(entries, 'clazz_id') };
  const [only, ...more] = accounts;
  const aggregate = common.clazz_id ?? (more.length === 0 ? only?.student_id : undefined) ?? tx.org_id;
  const slim = accounts.map((account) => ({
    ...account,
    entries: account.entries.map((entry) => without(entry, common)),
  }));
  for (const part of inBatches(slim)) {
    tx.emit(clazzEvents.accountsMoved, aggregate, { created_at: tx.now.toISOString(), ...common, accounts: part });
  }
};

/** Entries that a person made. Charges are audited with their marks, and hours expire by themselves. */
const ACTS: ReadonlySet<string> = new Set(['grant', 'adjust', 'refund', 'transfer_out', 'transfer_in']);

const entriesOf = ({ student_id, entries }: Book) =>
  entries
    .filter((entry) => ACTS.has(entry.kind))
    .map((entry) => {
      const { id, kind, lot_id, amount, balance_before, balance_after, reason } = asDecimals(AMOUNTS.entry, entry);
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

/** Puts an entry on the trail of the org for each such entry of a request; a job makes none. */
export const auditMoves = (tx: LedgerTx, books: readonly Book[]): void => {
  if (tx instanceof Session) auditOfOrg(tx, books.flatMap(entriesOf));
};
