import type { Enrolment, enrolmentCalls } from '@teaching/contracts';
import { type Filter, type Handler, pagedList } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { readClazz } from '../clazz/load-clazz.ts';
import { ENROLMENT_COLUMNS } from './read-enrolments.ts';

const list = pagedList<Enrolment, 'seq'>({
  columns: ENROLMENT_COLUMNS,
  from: 'enrolment',
  sorts: { seq: { by: 'seq', type: 'bigint' } },
});

export const listEnrolments: Handler<typeof enrolmentCalls.list> = async ({ path, query }, session) => {
  const { id } = await readClazz(session, path.id);
  const { limit, cursor, status } = query;
  const only: Filter[] = status === undefined ? [] : [['status = ?', status]];
  const found = await list(session, { limit, cursor, sort: 'seq' }, [
    ['org_id = ?', session.org_id],
    ['clazz_id = ?', id],
    ...only,
  ]);
  auditRead(session, 'enrolment', [id]);
  return found;
};
