import { notFound, type packageCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { PACKAGE } from './package.table.ts';
import { isOnSale } from './package.rules.ts';

export const getPackage: Handler<typeof packageCalls.get> = async ({ path }, session) => {
  const found = await session.find(PACKAGE, path.id);
  if (found === undefined || !session.reach.covers({ offered: isOnSale(found) })) throw notFound('Package');
  return found;
};
