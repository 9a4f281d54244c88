import type { clazzCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { toClazz } from './clazz.entity.ts';
import { requireMove } from './clazz.rules.ts';
import { lockClazz, touch } from './load-clazz.ts';

/** draft → active. */
export const activateClazz: Handler<typeof clazzCalls.activate> = async ({ path }, session) => {
  const it = await lockClazz(session, path.id);
  session.checkVersion(it.version);
  requireMove(it.status, 'activate');
  const before = toClazz(it);
  it.status = 'active';
  return touch(session, it, before, 'activated');
};
