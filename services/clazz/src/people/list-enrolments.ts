import type { enrolmentCalls } from '@teaching/contracts';
import { type Handler, pagedList } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { readClazz } from '../record/load-clazz.ts';
import { LISTED } from './enrolment.table.ts';

const list = pagedList({
  ...LISTED,
  from: 'enrolment',
  sorts: { seq: { by: 'seq', type: 'bigint' } },
  where: { clazz_id: 'clazz_id = ?', status: 'status = ?' },
});

export const listEnrolments: Handler<typeof enrolmentCalls.list> = async ({ path, query }, session) => {
  const { id } = await readClazz(session, path.id);
  const { limit, cursor, ...wanted } = query;
  const found = await list(session, { limit, cursor, sort: 'seq' }, { clazz_id: id, ...wanted });
  auditRead(session, 'enrolment', [id]);
  return found;
};
