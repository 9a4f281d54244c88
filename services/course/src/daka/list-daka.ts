import type { Daka, dakaCalls } from '@teaching/contracts';
import { type Filter, type Handler, pagedList } from '@teaching/kit';
import { equals } from '../shared/list.ts';
import { whoseOf } from './whose.rules.ts';

export const DAKA_COLUMNS =
  'id, org_id, jihua_id, student_id, local_date, content, backfilled, version, created_at, updated_at';

const list = pagedList<Daka, 'local_date'>({
  columns: DAKA_COLUMNS,
  from: 'daka',
  bulky: true,
  sorts: { local_date: { by: 'local_date', type: 'date' } },
});

export const listDaka: Handler<typeof dakaCalls.list> = async ({ query }, session) => {
  const { jihua_id, from, to } = query;
  const range: Filter[] = [
    ...(from === undefined ? [] : [['local_date >= ?', from] satisfies Filter]),
    ...(to === undefined ? [] : [['local_date <= ?', to] satisfies Filter]),
  ];
  const student_id = whoseOf(session.caller, query.student_id);
  return list(session, query, [['org_id = ?', session.org_id], ...equals({ jihua_id, student_id }), ...range]);
};
