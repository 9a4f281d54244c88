import { HourEntry, type hourCalls } from '@teaching/contracts';
import { type Handler, pagedList } from '@teaching/kit';
import { expireBeforeReading } from './expire-due.ts';
import { HOUR_ENTRY } from './hour-entry.table.ts';
import { auditAccountRead, requireAccountReader } from './may-read-account.ts';

const list = pagedList({
  ...HOUR_ENTRY.wire(HourEntry),
  from: 'hour_entry',
  id: { by: 'seq', type: 'int' },
  sorts: { seq: { by: 'seq', type: 'int' } },
  where: { student_id: 'student_id = ?' },
});

export const listEntries: Handler<typeof hourCalls.listEntries> = async ({ path: { student_id }, query }, session) => {
  await requireAccountReader(session, student_id);
  await expireBeforeReading(session, student_id);
  const [page] = await Promise.all([
    list(session, { ...query, sort: '-seq' }, { student_id }),
    auditAccountRead(session, student_id, 'entry'),
  ]);
  return page;
};
