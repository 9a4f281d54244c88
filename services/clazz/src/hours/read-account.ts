import { type HourEntry, type HourLot, type hourCalls } from '@teaching/contracts';
import { type Handler, pagedList, statement } from '@teaching/kit';
import { expireBeforeReading } from './expire-due.ts';
import { requireAccountReader } from './may-read-account.ts';

const BALANCE = statement<{ balance: string }>(
  'select balance from hour_account where org_id = $1 and student_id = $2',
);
const LOTS = statement<HourLot>(
  `select id, kind, remaining, granted, expires_at, price_minor, currency, package_id, package_version, course_id,
     created_at
   from hour_lot where org_id = $1 and student_id = $2 order by seq`,
);

export const getAccount: Handler<typeof hourCalls.account> = async ({ path: { student_id } }, session) => {
  await requireAccountReader(session, student_id);
  await expireBeforeReading(session, student_id);
  const [account, lots] = await Promise.all([
    session.one(BALANCE, session.org_id, student_id),
    session.query(LOTS, session.org_id, student_id),
  ]);
  return { student_id, balance: account?.balance ?? '0.00', lots };
};

const list = pagedList<HourEntry, 'seq'>({
  columns: `id, kind, lot_id, amount, balance_before, balance_after, lesson_id, mark_revision, policy_version,
    lot_expires_at, actor_id, reason, created_at`,
  from: 'hour_entry',
  id: { by: 'seq', type: 'int' },
  sorts: { seq: { by: 'seq', type: 'int' } },
});

export const listEntries: Handler<typeof hourCalls.listEntries> = async ({ path: { student_id }, query }, session) => {
  await requireAccountReader(session, student_id);
  await expireBeforeReading(session, student_id);
  return list(session, { ...query, sort: '-seq' }, [
    ['org_id = ?', session.org_id],
    ['student_id = ?', student_id],
  ]);
};
