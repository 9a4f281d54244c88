import type { enrolmentCalls } from '@teaching/contracts';
import { type Handler, names, pagedList } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { clazzName } from '../record/clazz-name.ts';
import { findClazz } from '../record/load-clazz.ts';
import { LISTED } from './enrolment.table.ts';

const clazz = clazzName('e');
const named = names('e', 'student_id');
const list = pagedList({
  columns: `${LISTED.of('e')}, ${clazz.columns}, ${named.columns}`,
  shape: { ...LISTED.shape, ...clazz.shape, ...named.shape },
  from: 'enrolment e',
  sorts: { seq: { by: 'seq', type: 'bigint' } },
  where: { clazz_id: 'clazz_id = ?', status: 'status = ?' },
});

export const listEnrolments: Handler<typeof enrolmentCalls.listEnrolments> = async ({ path, query }, session) => {
  const { id } = await findClazz(session, path.id);
  const found = await list(session, { ...query, sort: 'seq' }, { ...query, clazz_id: id });
  auditRead(session, 'enrolment', [id]);
  return found;
};
