import { type leaveCalls, Problem } from '@teaching/contracts';
import { type Filter, type Handler, isStaff, pagedList } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { LEAVE_COLUMNS, type LeaveRow, toLeave, toLeaveState } from '../cascade/leave-row.ts';

const list = pagedList<LeaveRow, 'requested_at'>({
  columns: LEAVE_COLUMNS,
  from: 'leave v left join make_up_credit c on c.org_id = v.org_id and c.leave_id = v.id',
  id: { by: 'v.id', type: 'uuid' },
  sorts: { requested_at: { by: 'v.requested_at', type: 'timestamptz' } },
});

export const listLeave: Handler<typeof leaveCalls.list> = async ({ query }, session) => {
  const { caller, org_id } = session;
  const { student_id, clazz_id, lesson_id, status, ...page } = query;
  if (!isStaff(caller) && student_id !== undefined && student_id !== caller.user_id) {
    throw new Problem('forbidden', 'Students see their own leave only');
  }
  const whose = isStaff(caller) ? student_id : caller.user_id;
  const wanted = { 'v.student_id': whose, 'v.clazz_id': clazz_id, 'v.lesson_id': lesson_id, 'v.status': status };
  const filters = Object.entries(wanted).flatMap(([column, value]): Filter[] =>
    value === undefined ? [] : [[`${column} = ?`, value]],
  );
  const found = await list(session, { ...page, sort: '-requested_at' }, [['v.org_id = ?', org_id], ...filters]);
  auditRead(
    session,
    'leave',
    found.items.map((row) => row.clazz_id),
  );
  const now = session.now.toISOString();
  return { ...found, items: found.items.map((row) => toLeave(toLeaveState(row), now)) };
};
