import type { clazzCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { lockClazz } from '../record/load-clazz.ts';
import { shownClazz } from '../record/shown-clazz.ts';
import { requireMove } from './clazz.rules.ts';
import { endClazz } from './end-clazz.ts';
import { saidWhy } from '../schedule/lesson.rules.ts';
import { saveClazz } from './save-clazz.ts';

/** draft or active → cancelled, for good: future lessons are cancelled, everybody leaves. */
export const cancelClazz: Handler<typeof clazzCalls.cancelClazz> = async ({ path, body }, session) => {
  const it = await lockClazz(session, path.id);
  session.checkVersion(it.version);
  requireMove(it.status, 'cancel');
  const why = saidWhy(body);
  await endClazz(session, it.id, 'withdrawn', why);
  return shownClazz(session, saveClazz(session, it, { ...it, status: 'cancelled' }, 'cancelled', why.reason));
};
