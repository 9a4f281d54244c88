import { always, type Condition, p, type Session, statement } from '@teaching/kit';
import { expireSome } from './expire-due.ts';

/** Students whose books are open at one time. */
const AT_ONCE = 500;

/** Whether hours of an org have expired by some time that the ledger still has: both are given as SQL. */
export const IS_DUE = (org: string, now: string): string =>
  `exists (select from hour_lot where org_id = ${org} and open and expires_at <= ${now})`;
const IS_ANY_DUE = statement(`select ${IS_DUE('$1', '$2')} as due`, { due: always(p.boolean()) });

/** For a list of an org's hours: every row says as `due.now` whether anything has expired that the ledger does not know yet. */
export const DUE: Condition = `cross join (select ${IS_DUE('?', '?')} as now) as due`;
export const DUE_COLUMN = { columns: 'due.now as due', shape: { due: always(p.boolean()) } };
/** Its values. */
export const dueAt = ({ org_id, now }: Session): readonly unknown[] => [org_id, now];

/**
 * Reads hours of an org as they are now: expiries are in the ledger before anything of it is shown. Mostly none is due,
 * which the rows themselves say, so nothing more is asked. Else what is due is taken out, set by set, and read again. That
 * is bounded by what has expired since somebody looked last, at the latest the hourly job, and is done once for each lot.
 */
export const asOfNow = async <R extends { items: readonly { due: boolean }[] }>(
  session: Session,
  read: () => Promise<R>,
): Promise<R> => {
  const found = await read();
  const [first] = found.items;
  const due = first?.due ?? (await session.one(IS_ANY_DUE, session.org_id, session.now))?.due;
  if (due !== true) return found;
  while ((await expireSome(session, AT_ONCE)) === AT_ONCE);
  return read();
};
