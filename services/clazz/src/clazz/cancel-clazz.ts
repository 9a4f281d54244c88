import type { clazzCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { toClazz } from './clazz.entity.ts';
import { requireMove } from './clazz.rules.ts';
import { endClazz } from './end-clazz.ts';
import { lockClazz, touch } from './load-clazz.ts';

/** draft or active → cancelled, for good: future lessons are cancelled, everybody leaves. */
export const cancelClazz: Handler<typeof clazzCalls.cancel> = async ({ path, body }, session) => {
  const it = await lockClazz(session, path.id);
  session.checkVersion(it.version);
  requireMove(it.status, 'cancel');
  const before = toClazz(it);
  const reason = body?.reason ?? null;
  await endClazz(session, it.id, 'withdrawn', reason);
  it.status = 'cancelled';
  return touch(session, it, before, 'cancelled', reason);
};
