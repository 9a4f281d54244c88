import type { clazzCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { lockClazz } from '../record/load-clazz.ts';
import { shownClazz } from '../record/shown-clazz.ts';
import { requireMove } from './clazz.rules.ts';
import { saveClazz } from './save-clazz.ts';

/** draft → active. */
export const activateClazz: Handler<typeof clazzCalls.activateClazz> = async ({ path }, session) => {
  const it = await lockClazz(session, path.id);
  session.checkVersion(it.version);
  requireMove(it.status, 'activate');
  return shownClazz(session, saveClazz(session, it, { ...it, status: 'active' }, 'activated'));
};
