import type { rollCallCalls } from '@teaching/contracts';
import { CLOCK, type Handler, isSupervisor, pagedList } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { LISTED } from '../record/lesson.table.ts';

const list = pagedList({
  columns: LISTED.of('l'),
  shape: LISTED.shape,
  from: 'lesson l join clazz c on c.org_id = l.org_id and c.id = l.clazz_id',
  org: 'l.org_id',
  id: { by: 'l.id', type: 'uuid' },
  sorts: { starts_at: { by: 'l.starts_at', type: 'timestamptz' } },
  where: {
    missing: "l.status = 'scheduled' and l.ends_at <= clock.now and c.status in ('draft', 'active')",
    own: '(l.teacher_id = ? or c.lead_teacher_id = ? or ? = any(c.assistant_ids))',
    clazz_id: 'l.clazz_id = ?',
  },
  joins: { clock: CLOCK },
});

/** Lessons that ended without roll call, oldest first: all of the org, or the caller's own. */
export const missingRollCall: Handler<typeof rollCallCalls.missing> = async ({ query }, session) => {
  const { caller, now } = session;
  const { clazz_id, ...page } = query;
  const { user_id } = caller;
  const own = isSupervisor(caller) ? undefined : [user_id, user_id, user_id];
  const where = { missing: true, own, clazz_id };
  const found = await list(session, { ...page, sort: 'starts_at' }, where, { clock: now });
  auditRead(
    session,
    'roll_call',
    found.items.map((lesson) => lesson.clazz_id),
  );
  return found;
};
