import type { piyueCalls } from '@teaching/contracts';
import { type Handler, isSupervisor } from '@teaching/kit';
import { submissionList } from '../submission/list-submissions.ts';
import { namedView } from '../submission/submission.rules.ts';

/** What the caller can mark now: not what somebody else has claimed. */
export const markingQueue: Handler<typeof piyueCalls.queue> = async ({ query }, session) => {
  const { caller, now } = session;
  const { lianxi_id } = query;
  const teacher_id = lianxi_id !== undefined || isSupervisor(caller) ? undefined : caller.user_id;
  const where = { unmarked: true, lianxi_id, teacher_id, claimable_by: caller.user_id };
  const list = await submissionList(session, query, where, { clock: now });
  return { ...list, items: list.items.map((it) => namedView(it, caller, now)) };
};
