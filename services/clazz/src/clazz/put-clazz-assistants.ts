import { isDeepStrictEqual } from 'node:util';
import type { clazzCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { staffChanged } from '../people/staff.ts';
import { requireOpen } from '../record/access.rules.ts';
import { shownClazz } from '../record/shown-clazz.ts';
import { requireListedPeople } from '../record/require-listed.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { checkAssistants } from './clazz.rules.ts';
import { saveClazz } from './save-clazz.ts';

/** Makes the assistants exactly this list; the same list again changes nothing. */
export const putClazzAssistants: Handler<typeof clazzCalls.putClazzAssistants> = async ({ path, body }, session) => {
  const it = await lockOwnClazz(session, path.id);
  session.checkVersion(it.version);
  requireOpen(it);
  checkAssistants(it.lead_teacher_id, body.teacher_ids);
  if (isDeepStrictEqual(it.assistant_ids, body.teacher_ids)) return shownClazz(session, it);
  const joining = body.teacher_ids.flatMap((user_id, index) =>
    it.assistant_ids.includes(user_id)
      ? []
      : [{ user_id, role: 'TEACHER' as const, path: `/body/teacher_ids/${index}` }],
  );
  await requireListedPeople(session, joining);
  const answer = saveClazz(session, it, { ...it, assistant_ids: body.teacher_ids }, 'updated');
  await staffChanged(session, it, answer);
  return shownClazz(session, answer);
};
