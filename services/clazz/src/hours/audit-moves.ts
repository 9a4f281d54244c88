import { Session } from '@teaching/kit';
import { auditOfOrg } from '../audit/audit.ts';
import type { Book } from './book.rules.ts';
import { AMOUNTS, asDecimals } from './hundredths.rules.ts';
import type { LedgerTx } from './open-books.ts';

/** What people do to accounts. Charges stand with the marks they are for, and what expires is nobody's act. */
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

/** Puts on the trail of the org what a request did to accounts: one entry for each of theirs. */
export const auditMoves = (tx: LedgerTx, books: readonly Book[]): void => {
  if (tx instanceof Session) auditOfOrg(tx, books.flatMap(entriesOf));
};
