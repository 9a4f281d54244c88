import { Clazz, type clazzCalls } from '@teaching/contracts';
import { containing, type Handler, isStaff, orElse, pagedList } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { CLAZZ } from '../record/clazz.table.ts';

const list = pagedList({
  ...CLAZZ.wire(Clazz),
  from: 'clazz',
  sorts: {
    name: { by: 'name', type: 'text' },
    starts_on: { by: orElse('starts_on', '-infinity'), type: 'date' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
  },
  where: {
    status: 'status = ?',
    lead_teacher_id: 'lead_teacher_id = ?',
    keyword: containing('lower(name)'),
    student_id: 'id in (select clazz_id from enrolment e where e.org_id = clazz.org_id and e.student_id = ?)',
  },
});

export const listClazzes: Handler<typeof clazzCalls.list> = async ({ query }, session) => {
  const { caller } = session;
  const student_id = isStaff(caller) ? undefined : caller.user_id;
  const found = await list(session, query, { ...query, student_id });
  auditRead(
    session,
    'clazz',
    found.items.map((it) => it.id),
  );
  return found;
};
