import { Daka, type dakaCalls } from '@teaching/contracts';
import { type Handler, pagedList } from '@teaching/kit';
import { DAKA } from './daka.table.ts';
import { whoseOf } from '../shared/whose.rules.ts';

const list = pagedList({
  ...DAKA.wire(Daka),
  from: 'daka',
  bulky: true,
  sorts: { local_date: { by: 'local_date', type: 'date' } },
  where: {
    jihua_id: 'jihua_id = ?',
    student_id: 'student_id = ?',
    from: 'local_date >= ?',
    to: 'local_date <= ?',
  },
});

export const listDaka: Handler<typeof dakaCalls.list> = async ({ query }, session) =>
  list(session, query, { ...query, student_id: whoseOf(session.caller, query.student_id) });
