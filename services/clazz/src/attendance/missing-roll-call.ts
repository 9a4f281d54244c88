import type { Lesson, rollCallCalls } from '@teaching/contracts';
import { atTime, type Filter, type Handler, isSupervisor, pagedList } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { LESSON_COLUMNS } from '../cascade/load-lessons.ts';

const list = pagedList<Lesson, 'starts_at'>({
  columns: LESSON_COLUMNS,
  from: 'lesson l join clazz c on c.org_id = l.org_id and c.id = l.clazz_id',
  id: { by: 'l.id', type: 'uuid' },
  sorts: { starts_at: { by: 'l.starts_at', type: 'timestamptz' } },
});

/** Lessons that ended without roll call, oldest first: all of the org, or the caller's own. */
export const missingRollCall: Handler<typeof rollCallCalls.missing> = async ({ query }, session) => {
  const { caller, org_id, now } = session;
  const own: Filter = [
    '(l.teacher_id = ? or c.lead_teacher_id = ? or ? = any(c.assistant_ids))',
    caller.user_id,
    caller.user_id,
    caller.user_id,
  ];
  const { clazz_id, ...page } = query;
  const filters: Filter[] = [
    ['l.org_id = ?', org_id],
    ['l.status = ?', 'scheduled'],
    ['l.ends_at <= clock.now'],
    ["c.status in ('draft', 'active')"],
    ...(isSupervisor(caller) ? [] : [own]),
    ...(clazz_id === undefined ? [] : [['l.clazz_id = ?', clazz_id] as const]),
  ];
  const found = await list(session, { ...page, sort: 'starts_at' }, filters, [atTime(now)]);
  auditRead(
    session,
    'roll_call',
    found.items.map((lesson) => lesson.clazz_id),
  );
  return found;
};
