import type { clazzCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { readClazz } from '../record/load-clazz.ts';
import { shownClazz } from '../record/shown-clazz.ts';

export const getClazz: Handler<typeof clazzCalls.getClazz> = async ({ path }, session) => {
  const found = await readClazz(session, path.id);
  auditRead(session, 'clazz', [path.id]);
  return shownClazz(session, found);
};
