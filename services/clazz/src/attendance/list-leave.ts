import { type leaveCalls, Problem } from '@teaching/contracts';
import { type Handler, isStaff, pagedList } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { MAYBE_WITH_CREDIT, toLeave, toLeaveState } from '../cascade/leave-row.ts';

const list = pagedList({
  ...MAYBE_WITH_CREDIT,
  from: 'leave v left join make_up_credit c on c.org_id = v.org_id and c.leave_id = v.id',
  org: 'v.org_id',
  id: { by: 'v.id', type: 'uuid' },
  sorts: { requested_at: { by: 'v.requested_at', type: 'timestamptz' } },
  where: {
    student_id: 'v.student_id = ?',
    clazz_id: 'v.clazz_id = ?',
    lesson_id: 'v.lesson_id = ?',
    status: 'v.status = ?',
  },
});

export const listLeave: Handler<typeof leaveCalls.list> = async ({ query }, session) => {
  const { caller } = session;
  const { student_id, clazz_id, lesson_id, status, ...page } = query;
  if (!isStaff(caller) && student_id !== undefined && student_id !== caller.user_id) {
    throw new Problem('forbidden', 'Students see their own leave only');
  }
  const whose = isStaff(caller) ? student_id : caller.user_id;
  const where = { student_id: whose, clazz_id, lesson_id, status };
  const found = await list(session, { ...page, sort: '-requested_at' }, where);
  auditRead(
    session,
    'leave',
    found.items.map((row) => row.clazz_id),
  );
  const now = session.now.toISOString();
  return { ...found, items: found.items.map((row) => toLeave(toLeaveState(row), now)) };
};
