import { type leaveCalls, notFound } from '@teaching/contracts';
import { type Handler } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { listShown, toListed } from './leave-shown.ts';

/** One leave: staff any, students their own. */
export const getLeave: Handler<typeof leaveCalls.getLeave> = async ({ path: { id } }, session) => {
  const { caller, now, reach } = session;
  const [found] = (await listShown(session, { sort: '-requested_at', limit: 1 }, { ids: [id] })).items;
  if (found === undefined || !reach.covers({ self: found.student_id })) throw notFound('Leave');
  auditRead(session, 'leave', [found.clazz_id], id);
  return toListed(caller, now)(found);
};
