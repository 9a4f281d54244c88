import { Daka, type dakaCalls } from '@teaching/contracts';
import { always, type Handler, names, p, pagedList } from '@teaching/kit';
import { DAKA } from './daka.table.ts';

const SHOWN = DAKA.wire(Daka);
const named = names('d', 'student_id');
const list = pagedList({
  columns: `${SHOWN.of('d')}, ${named.columns},
    (select title from jihua where org_id = d.org_id and id = d.jihua_id) as jihua_title`,
  shape: { ...SHOWN.shape, ...named.shape, jihua_title: always(p.text()) },
  from: 'daka d',
  bulky: true,
  sorts: { local_date: { by: 'local_date', type: 'date' } },
  where: {
    jihua_id: 'jihua_id = ?',
    student_id: 'student_id = ?',
    from: 'local_date >= ?',
    to: 'local_date <= ?',
  },
});

export const listDaka: Handler<typeof dakaCalls.listDaka> = async ({ query }, session) =>
  list(session, query, { ...query, student_id: session.reach.personAsked(query.student_id) });
