import type { clazzCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { readClazz } from '../access/load-clazz.ts';
import { auditRead } from '../audit/audit.ts';

export const getClazz: Handler<typeof clazzCalls.get> = async ({ path }, session) => {
  const found = await readClazz(session, path.id);
  auditRead(session, 'clazz', [path.id]);
  return found;
};
