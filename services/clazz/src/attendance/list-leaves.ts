import type { leaveCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { listShown, toListed } from './leave-shown.ts';

export const listLeaves: Handler<typeof leaveCalls.listLeaves> = async ({ query }, session) => {
  const { caller, now } = session;
  const student_id = session.reach.peopleAsked(query.student_id);
  const found = await listShown(session, { ...query, sort: '-requested_at' }, { ...query, student_id });
  auditRead(
    session,
    'leave',
    found.items.map((row) => row.clazz_id),
  );
  return { ...found, items: found.items.map(toListed(caller, now)) };
};
