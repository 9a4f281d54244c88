import type { clazzCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { lockClazz } from '../record/load-clazz.ts';
import { requireMove } from './clazz.rules.ts';
import { restoreEnrolments } from './restore-enrolments.ts';
import { restoreLessons } from './restore-lessons.ts';
import { saveClazz } from './save-clazz.ts';

/** completed → active: restores exactly what completing ended or cancelled, as far as it still lies ahead. */
export const reopenClazz: Handler<typeof clazzCalls.reopen> = async ({ path, body }, session) => {
  const it = await lockClazz(session, path.id);
  session.checkVersion(it.version);
  requireMove(it.status, 'reopen');
  const answer = saveClazz(session, it, { ...it, status: 'active', completed_at: null }, 'reopened', body.reason);
  await restoreEnrolments(session, it.id, body.reason);
  const lessons = await restoreLessons(session, it.id, body.reason);
  return { ...answer, ...lessons };
};
