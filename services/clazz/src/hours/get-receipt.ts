import { type ledgerCalls, notFound, type Receipt } from '@teaching/contracts';
import { always, type Handler, hundredths, names, Reply, statement } from '@teaching/kit';
import { policyInForce } from '../policy/policy-in-force.ts';
import { HOUR_ENTRY } from './hour-entry.table.ts';
import { HOUR_LOT } from './hour-lot.table.ts';
import { auditAccountRead } from './may-read-account.ts';
import { maySeePrices } from './may-see-prices.ts';
import { PAGE_POLICY, receiptPage } from './receipt-page.rules.ts';
import { RECEIPT } from './receipt.table.ts';

const NUMBERED = RECEIPT.some('number', 'year', 'entry_id', 'student_id', 'issued_on');
const NAMED = names('r', 'student_id');
const MOVED = HOUR_ENTRY.some('kind', 'price_minor', 'currency', 'created_at');
const BOUGHT = HOUR_LOT.some('package_id', 'package_title', 'package_version');
const FIND = statement(
  `select ${NUMBERED.of('r')}, ${NAMED.columns}, ${MOVED.of('e')}, abs(e.amount)::numeric(12, 2) as hours, ${BOUGHT.of('l')}
   from receipt r join hour_entry e on e.org_id = r.org_id and e.student_id = r.student_id and e.seq = r.seq
   join hour_lot l on l.org_id = e.org_id and l.student_id = e.student_id and l.id = e.lot_id
   where r.org_id = $1 and r.entry_id = $2`,
  { ...NUMBERED.shape, ...NAMED.shape, ...MOVED.shape, hours: always(hundredths()), ...BOUGHT.shape },
);

/** The receipt of a grant or a refund that moved money: for supervisors, and the student whose it is, if they may see prices. */
export const getReceipt: Handler<typeof ledgerCalls.getReceipt> = async ({ path: { entry_id } }, session) => {
  const { org_id, reach, accept } = session;
  const [found, { org_name }, isShown] = await Promise.all([
    session.one(FIND, org_id, entry_id),
    policyInForce(session, org_id),
    maySeePrices(session),
  ]);
  if (found === undefined || !reach.covers({ self: isShown && found.student_id })) throw notFound('Receipt');
  await auditAccountRead(session, found.student_id);
  const { issued_on: date, created_at: issued_at, kind, price_minor, currency, ...rest } = found;
  if (price_minor === null || currency === null) throw new Error(`the receipt of ${entry_id} has no price`);
  const receipt: Receipt = {
    ...rest,
    kind: kind === 'refund' ? 'refund' : 'grant',
    price_minor,
    currency,
    org_name,
    date,
    issued_at,
  };
  if (accept !== 'text/html') return receipt;
  return new Reply<Receipt>(receiptPage(receipt), {
    type: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': PAGE_POLICY },
  });
};
