import { type hourCalls, notFound, Problem } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { readAccount } from './get-hour-account.ts';
import { HOUR_LOT } from './hours.tables.ts';
import { openLedger, saveLedgers } from './ledger.ts';
import { createReceipts } from './receipts.ts';

const OWNER = HOUR_LOT.pick('student_id');
/** The student of a lot that a grant created. Adjustments and transfers create lots, too. */
const GRANTED_TO = statement(
  `select ${OWNER.withAlias('l')} from hour_lot l
   join hour_entry e on e.org_id = l.org_id and e.student_id = l.student_id and e.seq = l.seq
   where l.org_id = $1 and l.id = $2 and e.kind = 'grant'`,
  OWNER.shape,
);

/**
 * Takes back a grant of which all hours are left (domain rules, section 11). 409 `in_use` if hours were charged,
 * transferred, refunded or used for a debt, if they have expired, or if the grant was undone before.
 */
export const undoGrant: Handler<typeof hourCalls.undoGrant> = async ({ path: { lot_id }, body }, session) => {
  const found = await session.queryOne(GRANTED_TO, session.org_id, lot_id);
  if (found === undefined) throw notFound('Grant');
  const { policy, ledgers, ledger } = await openLedger(session, found.student_id);
  const lot = ledger.lots.find(({ id }) => id === lot_id);
  if (lot === undefined || lot.remaining < lot.granted) {
    throw new Problem('in_use', 'Hours of this grant were used, moved or refunded, or have expired');
  }
  ledger.undoGrant(lot, { actor_id: session.actor_id, reason: body?.reason ?? null, policy_version: null });
  saveLedgers(session, ledgers);
  createReceipts(session, ledgers, policy);
  return readAccount(session, found.student_id);
};
