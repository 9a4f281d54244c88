import type { piyueCalls } from '@teaching/contracts';
import { type Handler } from '@teaching/kit';
import { submissionList } from '../submission/list-submissions.ts';
import { namedView } from '../submission/submission.rules.ts';
import { queueOf } from './marking.rules.ts';

/** What the caller can mark now: not what somebody else has claimed. */
export const listPiyueQueue: Handler<typeof piyueCalls.listPiyueQueue> = async ({ query }, session) => {
  const { caller, now } = session;
  const { lianxi_id } = query;
  const teacher_id = queueOf(caller, lianxi_id);
  const where = { unmarked: true, lianxi_id, teacher_id, claimable_by: caller.user_id };
  const list = await submissionList(session, query, where, { clock: now });
  return { ...list, items: list.items.map((it) => namedView(it, caller, now)) };
};
