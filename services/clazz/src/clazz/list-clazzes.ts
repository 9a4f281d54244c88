import type { Clazz, clazzCalls } from '@teaching/contracts';
import { containsPattern, type Filter, type Handler, isStaff, pagedList } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { CLAZZ } from './clazz.table.ts';

const list = pagedList<Clazz, 'name' | 'starts_on' | 'created_at' | 'updated_at'>({
  columns: CLAZZ.columns,
  from: 'clazz',
  sorts: {
    name: { by: 'name', type: 'text' },
    starts_on: { by: "coalesce(starts_on, '-infinity')", type: 'date' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
  },
});

const when = (condition: string, value: string | undefined): Filter[] =>
  value === undefined || value === '' ? [] : [[condition, value]];

export const listClazzes: Handler<typeof clazzCalls.list> = async ({ query }, session) => {
  const { caller, org_id } = session;
  const keyword = query.keyword === undefined ? undefined : containsPattern(query.keyword);
  const found = await list(session, query, [
    ['org_id = ?', org_id],
    ...when('status = ?', query.status),
    ...when('lead_teacher_id = ?', query.lead_teacher_id),
    ...when('lower(name) like lower(?)', keyword),
    ...when(
      'id in (select clazz_id from enrolment e where e.org_id = clazz.org_id and e.student_id = ?)',
      isStaff(caller) ? undefined : caller.user_id,
    ),
  ]);
  auditRead(
    session,
    'clazz',
    found.items.map((it) => it.id),
  );
  return found;
};
