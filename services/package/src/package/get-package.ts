import { notFound, type packageCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { PACKAGE } from './package.table.ts';
import { maySee } from './package.rules.ts';

export const getPackage: Handler<typeof packageCalls.get> = async ({ path }, session) => {
  const found = await session.find(PACKAGE, path.id);
  if (found === undefined || !maySee(session.caller, found)) throw notFound('Package');
  return found;
};
