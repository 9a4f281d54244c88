import type { clazzCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { toClazz } from '../clazz/clazz.entity.ts';
import { checkAssistants, requireOpen } from '../clazz/clazz.rules.ts';
import { lockOwnClazz, touch } from '../clazz/load-clazz.ts';
import { staffChanged } from './staff.ts';

/** Makes the assistants exactly this list; the same list again changes nothing. */
export const setAssistants: Handler<typeof clazzCalls.setAssistants> = async ({ path, body }, session) => {
  const it = await lockOwnClazz(session, path.id);
  session.checkVersion(it.version);
  requireOpen(it);
  checkAssistants(it.lead_teacher_id, body.teacher_ids);
  const before = toClazz(it);
  if (JSON.stringify(before.assistant_ids) === JSON.stringify(body.teacher_ids)) return before;
  it.assistant_ids = body.teacher_ids;
  const answer = touch(session, it, before, 'updated');
  await staffChanged(session, before, answer);
  return answer;
};
