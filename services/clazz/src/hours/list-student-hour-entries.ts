import type { hourCalls } from '@teaching/contracts';
import { among, type Handler, pagedList } from '@teaching/kit';
import { expireBeforeReading } from './expire-due.ts';
import { LEDGER } from './ledger.view.ts';
import { maySeePrices } from './may-see-prices.ts';
import { priced } from './prices.rules.ts';
import { auditAccountRead, requireAccountReader } from './may-read-account.ts';

const list = pagedList({
  ...LEDGER,
  from: 'hour_entry as e',
  id: { by: 'e.seq', type: 'int' },
  sorts: { seq: { by: 'e.seq', type: 'int' } },
  where: { student_id: 'e.student_id = ?', lesson_id: among('e.lesson_id') },
});

export const listStudentHourEntries: Handler<typeof hourCalls.listStudentHourEntries> = async (
  { path: { student_id }, query },
  session,
) => {
  await requireAccountReader(session, student_id);
  await expireBeforeReading(session, student_id);
  const [page, isShown] = await Promise.all([
    list(session, { ...query, sort: '-seq' }, { student_id, lesson_id: query.lesson_id }),
    maySeePrices(session),
    auditAccountRead(session, student_id, 'entry'),
  ]);
  return { ...page, items: page.items.map(priced(isShown)) };
};
